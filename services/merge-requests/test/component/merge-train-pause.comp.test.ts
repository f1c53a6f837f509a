import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { type Body, mr } from './merge-request-steps';
import { mergeTrainSteps } from './merge-train-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const {
  api,
  addMembers,
  board,
  car,
  commit,
  control,
  facts,
  head,
  merged,
  open,
  parents,
  ready,
  report,
  standing,
  status,
  sweep,
  tested,
  withTrain,
} = mergeTrainSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness(undefined, { SWITCHYARD_RECOVERY_SECONDS: '1' });
  await addMembers();
});
afterAll(() => harness?.close());

const { maintainer, developer, owner } = people;

const pipelinesOpened = async (project: TestProject): Promise<number> =>
  (
    await harness.db.query(
      sql`select 1 from merge_train_runs r join merge_trains t on t.id = r.train_id where t.project_id = ${project.id}`,
    )
  ).length;

/** What was published about the state of the train. */
const stateFacts = (project: TestProject, count: number): Promise<[number, Body][]> =>
  eventually(async () => {
    const found = await facts(project, 'mergeTrainStateChanged');
    expect(found).toHaveLength(count);
    return found;
  });

/** Time for the train to do what it must not do: it has been attended to twice since. */
async function attended(project: TestProject): Promise<void> {
  for (const _ of [1, 2]) {
    await sweep(project);
    await eventually(
      async () =>
        expect(
          await harness.db.query(sql`select 1 from merge_trains where project_id = ${project.id} and due_at > now()`),
        ).toHaveLength(1),
      { every: 50 },
    );
  }
}

test('a paused train takes new cars, lands nothing, starts no pipeline, blames no car; and goes on (D8)', async () => {
  const project = await withTrain(3);
  const first = await tested(project, [1, 2, 3]);
  expect((await control(project, { state: 'paused', reason: 'release 3' })).status).toBe(200);
  const before = await head(project, 'main');
  const opened = await pipelinesOpened(project);
  await report(project, first[1], 'success');
  await report(project, first[2], 'failed');
  await ready(project, 4);
  expect((await board(project, 4)).status).toBe(201);
  // What is rebuilt would need a pipeline.
  expect((await api(maintainer, 'DELETE', car(project, 3))).status).toBe(204);
  await attended(project);
  await standing(project, (entries, inOrder) => {
    expect(inOrder).toEqual([1, 2, 4]);
    for (const iid of inOrder) expect(entries[iid].waiting_for).toEqual({ reason: 'train', statuses: [] });
    expect(entries[4]).toMatchObject({ pipeline: null, sha: null });
    expect(entries[2].failing).toBe(true);
  });
  expect([await head(project, 'main'), await pipelinesOpened(project)]).toEqual([before, opened]);
  expect((await facts(project, 'mergeTrainEntryRemoved')).map(([iid]) => iid)).toEqual([3]);

  expect((await control(project, { state: 'running' }, owner)).body).toMatchObject({
    state: 'running',
    reason: null,
    changes: [
      { state: 'running', user: { id: owner.id } },
      { state: 'paused', reason: 'release 3', user: { id: maintainer.id } },
    ],
  });
  await merged(project, 1);
  await tested(project, [4]);
  expect((await facts(project, 'mergeTrainEntryRemoved')).map(([iid]) => iid)).toEqual([3, 2]);
  const changed = await stateFacts(project, 6);
  expect(changed.slice(0, 3).map(([, fact]) => fact)).toEqual(
    [1, 2, 3].map(() => expect.objectContaining({ targetBranch: 'main', state: 'STATE_PAUSED', reason: 'release 3' })),
  );
  expect(changed.slice(3).map(([iid, { state }]) => [iid, state])).toEqual(
    [1, 2, 4].map((iid) => [iid, 'STATE_RUNNING']),
  );
  const actors = await harness.db.query<{ actor: string }>(sql`
    select distinct o.body::jsonb ->> 'actorId' as actor from events.outbox o join merge_requests m on m.id::text = o.key
    where m.project_id = ${project.id} and o.body::jsonb -> 'mergeTrainStateChanged' ->> 'state' = 'STATE_PAUSED'`);
  expect(actors).toEqual([{ actor: String(maintainer.id) }]);
});

test('a draining train lands its cars and takes no new one: 409 with the reason; what becomes ready waits (D8)', async () => {
  const project = await withTrain(2);
  const first = await tested(project, [1, 2]);
  await ready(project, 3);
  const later = await commit(project, 'b4', { 'b4.txt': '4\n' }, { start: 'main' });
  await status(project, later, { state: 'running', ref: 'b4' });
  await open(project, 'b4');
  expect((await board(project, 4, { auto_merge: true })).status).toBe(202);
  expect((await control(project, { state: 'draining', reason: 'freeze of main' })).status).toBe(200);

  const refusal = { message: 'Merge train is draining: freeze of main' };
  for (const reply of [
    await board(project, 3),
    await board(project, 3, { first: true }),
    await api(maintainer, 'PUT', mr(project, 3, '/merge'), { auto_merge: true }),
  ]) {
    expect([reply.status, reply.body]).toEqual([409, refusal]);
  }
  expect((await api(developer, 'GET', mr(project, 3))).body.merge_when_pipeline_succeeds).toBe(false);
  await status(project, later, { state: 'success', ref: 'b4' });
  // A car in the train may still be put first.
  expect((await board(project, 2, { first: true })).status).toBe(201);
  const moved = await standing(project, (entries, inOrder) => {
    expect(inOrder).toEqual([2, 1]);
    for (const iid of [1, 2]) {
      expect(entries[iid].pipeline?.id).toBeDefined();
      expect(entries[iid].pipeline.id).not.toBe(first[iid].pipeline.id);
      expect(entries[iid].pipeline.status).toBe('pending');
    }
  });
  for (const iid of [1, 2]) await report(project, moved[iid], 'success');
  for (const iid of [1, 2]) await merged(project, iid);
  expect((await control(project)).body.state).toBe('draining');
  expect((await api(developer, 'GET', mr(project, 4))).body).toMatchObject({
    state: 'opened',
    merge_when_pipeline_succeeds: true,
  });
  expect(await facts(project, 'mergeTrainEntryRemoved')).toEqual([]);
  // An empty train has a control as well.
  expect((await control(project, { state: 'running' })).body.state).toBe('running');
  await tested(project, [4]);
  expect((await board(project, 3)).status).toBe(201);
});

test('at `until` the train runs again by itself, with cars and without (D8)', async () => {
  const full = await withTrain(1);
  const { 1: entry } = await tested(full, [1]);
  const empty = await withTrain(1);
  expect((await api(maintainer, 'DELETE', car(empty, 1))).status).toBe(204);
  const until = new Date(Date.now() + 1_500).toISOString();
  for (const project of [full, empty]) {
    expect((await control(project, { state: 'paused', until })).body).toMatchObject({ state: 'paused', until });
  }
  await report(full, entry, 'success');
  await merged(full, 1);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until));
  for (const project of [full, empty]) {
    await eventually(async () => {
      const { body } = await control(project);
      expect(body).toMatchObject({ state: 'running', until: null, updated_by: null });
      expect(body.changes.map(({ state, user }: Body) => [state, user?.id ?? null])).toEqual([
        ['running', null],
        ['paused', maintainer.id],
      ]);
    });
  }
});

test('a Maintainer puts a merge request first, in the train or not; whose tests start again is published (D8, G-4.1-4)', async () => {
  const project = await withTrain(3);
  const before = await tested(project, [1, 2, 3]);
  await ready(project, 4);
  for (const [by, code] of [
    [developer, 403],
    [people.reporter, 403],
    [people.outsider, 404],
  ] as const) {
    expect((await board(project, 4, { first: true }, by)).status).toBe(code);
    expect((await board(project, 3, { first: true }, by)).status).toBe(code);
  }
  expect(Object.values(await standing(project)).map(({ pipeline }) => pipeline.id)).toEqual(
    [1, 2, 3].map((iid) => before[iid].pipeline.id),
  );
  expect((await board(project, 4, { first: 'at once' })).status).toBe(400);

  expect((await board(project, 4, { first: true })).status).toBe(201);
  // Put there by another Maintainer, who would get a 409 without `first`.
  expect((await board(project, 3, {}, owner)).status).toBe(409);
  expect((await board(project, 3, { first: true }, owner)).status).toBe(201);
  const moved = await tested(project, [3, 4, 1, 2]);
  for (const iid of [1, 2, 3]) expect(moved[iid].pipeline.id).not.toBe(before[iid].pipeline.id);
  expect((await parents(project, moved[3].sha))[0]).toBe(await head(project, 'main'));
  const overtaken = await eventually(async () => {
    const found = await facts(project, 'mergeTrainEntryOvertaken');
    expect(found).toHaveLength(6);
    return found.map(([iid, { position, byIid }]) => [byIid, iid, position]);
  });
  // The jobs of two boardings may run beside each other.
  const overtakenBy = (first: number) =>
    overtaken.flatMap(([by, iid, position]) => (by === first ? [[iid, position]] : []));
  expect(overtakenBy(4)).toEqual([
    [1, 2],
    [2, 3],
    [3, 4],
  ]);
  expect(overtakenBy(3)).toEqual([
    [4, 2],
    [1, 3],
    [2, 4],
  ]);
  const added = (await facts(project, 'mergeTrainEntryAdded')).slice(3);
  expect(added).toEqual([
    [4, expect.objectContaining({ position: 1, first: true })],
    [3, expect.objectContaining({ position: 1, first: true, moved: true })],
  ]);
  // Where it is already, nothing starts again.
  expect((await board(project, 3, { first: true })).status).toBe(201);
  expect((await tested(project, [3, 4, 1, 2]))[3].pipeline.id).toBe(moved[3].pipeline.id);
  expect(await facts(project, 'mergeTrainEntryOvertaken')).toHaveLength(6);
  await report(project, moved[3], 'success');
  await merged(project, 3);
  await report(project, (await standing(project))[4], 'success');
  await merged(project, 4);
});
