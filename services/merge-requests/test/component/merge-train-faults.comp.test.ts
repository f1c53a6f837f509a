import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { openRepository } from '../../src/git';
import { type Ground, insertProject, people, prepareGround } from './repository-harness';
import { git, killProcesses, processOf, type RepositoryProcess } from './repository-process';

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
type Body = any;

const { maintainer, developer } = people;

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

async function commit(service: RepositoryProcess, projectId: number, branch: string): Promise<string> {
  const { id } = await service.api(maintainer, 'POST', `/projects/${projectId}/repository/commits`, {
    branch,
    ...(branch === 'main' ? {} : { start_branch: 'main' }),
    commit_message: `Add ${branch}`,
    actions: [{ action: 'create', file_path: `${branch}.txt`, content: `${branch}\n` }],
  });
  return id;
}

/** A batch of the merge requests 2 and 3, once its pipeline waits for reports. */
async function batch(service: RepositoryProcess, projectId: number): Promise<Body[]> {
  await commit(service, projectId, 'main');
  const car = (iid: number) => `/projects/${projectId}/merge_trains/merge_requests/${iid}`;
  for (const iid of [1, 2, 3]) {
    const sha = await commit(service, projectId, `b${iid}`);
    const report = { state: 'success', ref: `b${iid}` };
    await service.api(developer, 'POST', `/projects/${projectId}/statuses/${sha}`, report);
    const wanted = { source_branch: `b${iid}`, target_branch: 'main', title: `Merge b${iid}` };
    await service.api(developer, 'POST', `/projects/${projectId}/merge_requests`, wanted);
  }
  for (const iid of [1, 2, 3]) await service.api(maintainer, 'POST', car(iid), {});
  // The first is tested by itself; once it has left, the two that wait for the one place share it.
  await eventually(async () => expect((await service.api(maintainer, 'GET', car(1))).pipeline).toBeTruthy());
  await service.api(maintainer, 'DELETE', car(1));
  return eventually(async () => {
    const entries = await Promise.all([2, 3].map((iid) => service.api(maintainer, 'GET', car(iid))));
    for (const entry of entries) expect(entry.batch).toMatchObject({ merge_request_iids: [2, 3] });
    expect(entries[0].pipeline.id).toBe(entries[1].pipeline.id);
    return entries;
  });
}

test.each([
  ['train.landing_begun', 1],
  ['merge.ref_moved', 2],
] as const)(
  'a process killed at %s lands the whole batch by one move, or none of it (D7, D8)',
  async (point, projectId) => {
    await insertProject(db, projectId);
    await db.query(sql`
    update directory.projects set merge_trains_enabled = true, merge_train_parallel_cars = 1, merge_train_required_statuses = '{ci}'
    where id = ${projectId}`);
    const doomed = await processOf(ground, point);
    const [second, third] = await batch(doomed, projectId);
    const { id, sha } = third.pipeline;
    const verdict = { state: 'success', name: 'ci', pipeline_id: id };
    await doomed.api(maintainer, 'POST', `/projects/${projectId}/statuses/${sha}`, verdict).catch(() => undefined);
    expect(await doomed.exited).toBe('SIGKILL');
    expect(doomed.fired()).toBe(true);

    await processOf(ground);
    await eventually(
      async () =>
        expect(
          await db.query(sql`
          select iid::int, state, merge_commit_sha as sha from merge_requests where project_id = ${projectId} and iid > 1 order by iid`),
        ).toEqual([
          { iid: 2, state: 'merged', sha: second.sha },
          { iid: 3, state: 'merged', sha: third.sha },
        ]),
      { within: 30_000, every: 100 },
    );
    const { path } = openRepository(join(ground.folder, 'repositories'), projectId);
    expect(await git(path, 'rev-parse', 'refs/heads/main')).toBe(third.sha);
    expect(
      await db.query(sql`
      select merge_request_iid::int as iid, landed_sha as landed, tested_sha as tested from landing_receipts
      where project_id = ${projectId} order by id`),
    ).toEqual([
      { iid: 2, landed: second.sha, tested: third.sha },
      { iid: 3, landed: third.sha, tested: third.sha },
    ]);
    const pushed = await db.query(sql`
    select new_sha as sha from ref_change_intents where project_id = ${projectId} and ref = 'refs/heads/main' and source = 'merge' and state = 'done'`);
    expect(pushed).toEqual([{ sha: third.sha }]);
  },
  90_000,
);
