import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { openRepository } from '../../src/git';
import { type Ground, insertProject, people, prepareGround } from './repository-harness';
import { git, killProcesses, processOf, type RepositoryProcess } from './repository-process';

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
type Body = any;

let ground: Ground;
let db: Database;

beforeAll(async () => {
  ground = await prepareGround();
  db = openDatabase({ url: ground.databaseUrl, applicationName: 'fault test' });
  await db.query(sql`
    insert into directory.memberships (id, user_id, namespace_id, access_level) values (2, 2, 1, 40), (3, 3, 1, 30)`);
});
afterAll(async () => {
  await killProcesses();
  await db?.close();
  await ground?.close();
});

const start = (fault?: string): Promise<RepositoryProcess> => processOf(ground, fault);

async function openOne(service: RepositoryProcess, projectId: number): Promise<string> {
  const folder = mkdtempSync(join(ground.folder, 'work-'));
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Base');
  await git(folder, 'checkout', '--quiet', '-b', 'feature');
  writeFileSync(join(folder, 'one.txt'), 'one\n');
  await git(folder, 'add', '.');
  await git(folder, 'commit', '--quiet', '-m', 'One');
  const remote = service.remote(`group/project${projectId}`);
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
    await insertProject(db, projectId);
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
  await insertProject(db, projectId);
  // The worker crashes at its first step; its work is still in the queue.
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
