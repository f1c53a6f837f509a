import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Database, openDatabase, sql } from '@switchyard/database';
import { eventually } from '@switchyard/testkit';
import { openRepository } from '../../src/git';
import { type Ground, gitEnvironment, people, prepareGround } from './repository-harness';

const run = promisify(execFile);
const git = async (cwd: string, ...args: string[]) =>
  (await run('git', args, { cwd, env: gitEnvironment })).stdout.trim();

let ground: Ground;
let db: Database;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  ground = await prepareGround();
  db = openDatabase({ url: ground.databaseUrl, applicationName: 'fault test' });
});
afterAll(async () => {
  await db?.close();
  await ground?.close();
});
afterEach(async () => {
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
  return { url, exited, fired: () => existsSync(`${faultFile}.fired`) };
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

const points = [
  'push.received',
  'push.decided',
  'push.intent_committed',
  'push.ref_moved',
  'push.result_committed',
  'push.subscriber_told',
  'push.told',
];

test.each(points.map((point, at) => [point, at + 1] as const))(
  'a process killed at %s leaves a push that is there once, or not at all',
  async (point, projectId) => {
    await addProject(projectId);
    const folder = mkdtempSync(join(ground.folder, 'work-'));
    await git(folder, 'init', '--quiet', '--initial-branch=main');
    await git(folder, 'commit', '--quiet', '--allow-empty', '-m', `Before ${point}`);
    const remote = (url: string) =>
      `${url.replace('http://', `http://git:${people.maintainer.token}@`)}/group/project${projectId}.git`;

    const doomed = await start(point);
    const acknowledged = await git(folder, 'push', '--quiet', remote(doomed.url), 'main', 'main:refs/heads/other').then(
      () => true,
      () => false,
    );
    expect(await doomed.exited).toBe('SIGKILL');
    expect(doomed.fired()).toBe(true);

    const second = await start();
    await eventually(
      async () => {
        const [left] = await db.query<{ count: number }>(sql`
          select count(*) as count from ref_change_intents
          where project_id = ${projectId} and (state = 'open' or (state = 'done' and handled_at is null))`);
        expect(left?.count).toBe(0);
      },
      { within: 40_000, every: 100 },
    );
    const repo = openRepository(join(ground.folder, 'repositories'), projectId);
    const refs = await git(repo.path, 'for-each-ref', '--format=%(refname)');
    const events = () =>
      db.query<{ refName: string }>(sql`
        select body->>'refName' as "refName" from events.outbox where key = ${String(projectId)} order by body->>'refName'`);
    // What moved is published, and nothing else is.
    const expected = refs === '' ? [] : refs.split('\n').map((ref) => ({ refName: ref.slice('refs/heads/'.length) }));
    expect(await events()).toEqual(expected);
    if (acknowledged) expect(expected).toHaveLength(2);

    await git(folder, 'push', '--quiet', remote(second.url), 'main', 'main:refs/heads/other');
    expect(await events()).toEqual([{ refName: 'main' }, { refName: 'other' }]);
    await git(repo.path, 'fsck', '--strict');
    const rules = await db.query(sql`select name from protected_branches where project_id = ${projectId}`);
    expect(rules).toEqual([{ name: 'main' }]);
  },
  120_000,
);
