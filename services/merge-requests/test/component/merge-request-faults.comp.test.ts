import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Database, openDatabase, sql } from '@switchyard/database';
import { eventually } from '@switchyard/testkit';
import { openRepository } from '../../src/git';
import { type Ground, gitEnvironment, type Person, people, prepareGround } from './repository-harness';

const run = promisify(execFile);
const git = async (cwd: string, ...args: string[]) =>
  (await run('git', args, { cwd, env: gitEnvironment })).stdout.trim();

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
type Body = any;

let ground: Ground;
let db: Database;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  ground = await prepareGround();
  db = openDatabase({ url: ground.databaseUrl, applicationName: 'fault test' });
  await db.query(sql`
    insert into directory.memberships (id, user_id, namespace_id, access_level) values (2, 2, 1, 40), (3, 3, 1, 30)`);
});
afterAll(async () => {
  await db?.close();
  await ground?.close();
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

async function start(fault?: string) {
  const faultFile = join(mkdtempSync(join(ground.folder, 'fault-')), 'fault');
  if (fault !== undefined) writeFileSync(faultFile, fault);
  const child = spawn(
    process.execPath,
    [
      '--require',
      join(__dirname, '../../../../libs/testkit/jest/register-ts.cjs'),
      join(__dirname, 'repository-fault-process.ts'),
      ground.databaseUrl,
      ground.folder,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_ENV: 'test', FAULT_FILE: faultFile } },
  );
  children.add(child);
  const exited = new Promise<NodeJS.Signals | null>((settle) => child.once('exit', (_, signal) => settle(signal)));
  const url = await new Promise<string>((settle, fail) => {
    child.stdout.once('data', (line: Buffer) => settle(line.toString().trim()));
    child.once('exit', () => fail(new Error('the process ended before it listened')));
  });
  const api = async (person: Person, method: string, path: string, body?: unknown): Promise<Body> => {
    const response = await fetch(`${url}/api/v4${path}`, {
      method,
      headers: { 'private-token': person.token, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  };
  return { url, api, exited, fired: () => existsSync(`${faultFile}.fired`) };
}

async function addProject(id: number): Promise<void> {
  await db.query(sql`
    insert into directory.projects (id, namespace_id, name, path, visibility, default_branch, archived, deleting, creator_id,
      merge_method, squash_option, only_allow_merge_if_pipeline_succeeds, allow_merge_on_skipped_pipeline,
      only_allow_merge_if_all_discussions_are_resolved, remove_source_branch_after_merge, merge_requests_enabled, issues_enabled,
      repository_access_level, initialize_with_readme)
    values (${id}, 1, ${`Project ${id}`}, ${`project${id}`}, 'private', 'main', false, false, 1, 'merge', 'default_off', false, false,
      false, false, true, true, 'enabled', false)`);
}

async function openOne(service: Awaited<ReturnType<typeof start>>, projectId: number): Promise<string> {
  const folder = mkdtempSync(join(ground.folder, 'work-'));
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Base');
  await git(folder, 'checkout', '--quiet', '-b', 'feature');
  writeFileSync(join(folder, 'one.txt'), 'one\n');
  await git(folder, 'add', '.');
  await git(folder, 'commit', '--quiet', '-m', 'One');
  const remote = `${service.url.replace('http://', `http://git:${people.maintainer.token}@`)}/group/project${projectId}.git`;
  await git(folder, 'push', '--quiet', remote, 'main');
  await git(folder, 'push', '--quiet', remote, 'feature');
  const opened = await service.api(people.developer, 'POST', `/projects/${projectId}/merge_requests`, {
    source_branch: 'feature',
    target_branch: 'main',
    title: 'A feature',
  });
  expect(opened.iid).toBe(1);
  return git(folder, 'rev-parse', 'feature');
}

async function expectMergedOnce(projectId: number, source: string): Promise<void> {
  const repo = openRepository(join(ground.folder, 'repositories'), projectId);
  const [row] = await db.query<Body>(
    sql`select state, merge_commit_sha from merge_requests where project_id = ${projectId}`,
  );
  expect(row.state).toBe('merged');
  expect(await git(repo.path, 'rev-parse', 'refs/heads/main')).toBe(row.merge_commit_sha);
  expect(await git(repo.path, 'rev-list', '--merges', 'refs/heads/main')).toBe(row.merge_commit_sha);
  expect(await git(repo.path, 'rev-parse', 'refs/heads/main^2')).toBe(source);
  expect((await db.query(sql`select 1 from merge_request_merges where project_id = ${projectId}`)).length).toBe(0);
  const events = await db.query(sql`
    select 1 from events.outbox o join merge_requests mr on o.key = mr.id::text
    where mr.project_id = ${projectId} and o.type = 'merge_request.changed' and o.body->'merged' is not null`);
  expect(events).toHaveLength(1);
  await git(repo.path, 'fsck', '--strict');
}

const points = [
  'merge.commits_written',
  'merge.intent_committed',
  'merge.ref_moved',
  'merge.committed',
  'merge.source_removed',
  'merge.plan_dropped',
];

test.each(points.map((point, at) => [point, at + 1] as const))(
  'a process killed at %s leaves a merge that is there once, or can be asked for again',
  async (point, projectId) => {
    await addProject(projectId);
    const doomed = await start(point);
    const source = await openOne(doomed, projectId);
    const wish = { should_remove_source_branch: true };
    const path = `/projects/${projectId}/merge_requests/1`;
    await doomed.api(people.maintainer, 'PUT', `${path}/merge`, wish).catch(() => undefined);
    expect(await doomed.exited).toBe('SIGKILL');
    expect(doomed.fired()).toBe(true);

    const second = await start();
    await eventually(
      async () => {
        const found = await second.api(people.maintainer, 'GET', path);
        if (found.state === 'opened' && point === 'merge.commits_written') {
          await second.api(people.maintainer, 'PUT', `${path}/merge`, wish);
        }
        expect(found.state).toBe('merged');
        expect(await db.query(sql`select 1 from merge_request_merges where project_id = ${projectId}`)).toEqual([]);
      },
      { within: 30_000, every: 200 },
    );
    await expectMergedOnce(projectId, source);
    const branches = await second.api(people.maintainer, 'GET', `/projects/${projectId}/repository/branches`);
    expect(branches.map((branch: { name: string }) => branch.name)).toEqual(['main']);
  },
  90_000,
);

test('auto-merge survives a kill right after the last status was acknowledged', async () => {
  const projectId = points.length + 1;
  await addProject(projectId);
  // The worker dies at its first step; what it was about to do lies in the queue.
  const doomed = await start('merge.commits_written');
  const source = await openOne(doomed, projectId);
  const path = `/projects/${projectId}/merge_requests/1`;
  const report = (state: string) =>
    doomed.api(people.developer, 'POST', `/projects/${projectId}/statuses/${source}`, { state, ref: 'feature' });
  await report('running');
  const waiting = await doomed.api(people.maintainer, 'PUT', `${path}/merge`, { auto_merge: true });
  expect(waiting).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true });
  await report('success').catch(() => undefined);
  expect(await doomed.exited).toBe('SIGKILL');
  const second = await start();
  await eventually(async () => expect((await second.api(people.maintainer, 'GET', path)).state).toBe('merged'), {
    within: 80_000,
    every: 200,
  });
  await expectMergedOnce(projectId, source);
}, 120_000);
