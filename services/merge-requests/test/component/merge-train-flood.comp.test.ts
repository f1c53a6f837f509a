import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { at, type Body, mergeRequestSteps } from './merge-request-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, checked, commit, newProject, open, status } = mergeRequestSteps(() => harness);
const { maintainer, developer, owner } = people;

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

const flooded = 60;
const preparedAtOnce = 6;

/** Merge requests that may join a train, by their number. */
async function withReady(count: number): Promise<{ project: TestProject; iids: number[] }> {
  const project = await newProject({ merge_trains_enabled: true });
  const rest = Array.from({ length: count }, (_, number) => `b${number}`);
  const iids: number[] = [];
  const prepare = async (): Promise<void> => {
    for (let branch = rest.shift(); branch !== undefined; branch = rest.shift()) {
      const sha = await commit(project, branch, { [`${branch}.txt`]: `${branch}\n` }, { start: 'main' });
      await status(project, sha, { state: 'success', ref: branch });
      iids.push((await open(project, branch, {}, developer)).iid);
    }
  };
  await Promise.all(Array.from({ length: preparedAtOnce }, prepare));
  for (const iid of iids) await checked(project, iid);
  return { project, iids };
}

const board = (project: TestProject, iid: number, by = maintainer) =>
  api(by, 'POST', at(project, `/merge_trains/merge_requests/${iid}`), {});

/** Statements of the service that wait for a lock. */
const waitingForLocks = async (): Promise<number> => {
  const [row] = await harness.db.query<{ count: number }>(sql`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  return row!.count;
};

test('boardings that wait for their train hold no room of others, and all are answered once it is free', async () => {
  const { project, iids } = await withReady(flooded + 1);
  const other = await withReady(1);
  const [first, ...flood] = iids as [number, ...number[]];
  expect((await board(project, first)).status).toBe(201);
  let letGo: () => void = () => undefined;
  const freed = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const holding = harness.db.transaction(async (tx) => {
    await tx.query(sql`select id from merge_trains where project_id = ${project.id} for update`);
    await freed;
  });
  const replies = Promise.all(flood.map((iid) => board(project, iid)));
  try {
    await eventually(async () => expect(await waitingForLocks()).toBeGreaterThan(0));
    const startedAt = performance.now();
    expect((await board(other.project, other.iids[0]!, owner)).status).toBe(201);
    expect((await api(developer, 'GET', at(project, '/merge_trains'))).body).toHaveLength(1);
    const entry: Body = await eventually(async () => {
      const { body } = await api(developer, 'GET', at(other.project, `/merge_trains/merge_requests/1`));
      expect(body.status).toBe('fresh');
      return body;
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(entry.pipeline.status).toBe('pending');
    // Those who join, the train itself, and its forecast.
    expect(await waitingForLocks()).toBeLessThanOrEqual(3);
  } finally {
    letGo();
    await holding;
  }
  const answered = await replies;
  expect([...new Set(answered.map((reply) => reply.status))]).toEqual([201]);
  const rows = await harness.db.query<{ count: number }>(sql`
    select count(distinct merge_request_id) from merge_train_cars where project_id = ${project.id}`);
  expect(rows[0]!.count).toBe(flooded + 1);
}, 120_000);
