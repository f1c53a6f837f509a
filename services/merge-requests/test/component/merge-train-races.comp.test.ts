import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, checked, commit, newProject, open, status } = mergeRequestSteps(() => harness);
const { maintainer, developer } = people;

beforeAll(async () => {
  // What a crashed process left behind is waited for.
  harness = await startHarness(undefined, { SWITCHYARD_RECOVERY_SECONDS: '1' });
  await addMembers();
});
afterAll(() => harness?.close());

const car = (project: TestProject, iid: number, path = '') => at(project, `/merge_trains/merge_requests/${iid}${path}`);
const state = async (project: TestProject, iid: number): Promise<string> =>
  (await api(developer, 'GET', mr(project, iid))).body.state;

/** A merge request from `branch`, checked, with a green pipeline on its head. */
async function ready(project: TestProject, iid: number, branch: string, start = 'main'): Promise<string> {
  const sha = await commit(project, branch, { [`${branch}.txt`]: `${branch}\n` }, { start });
  await status(project, sha, { state: 'success', ref: branch });
  expect((await open(project, branch, {}, developer)).iid).toBe(iid);
  await checked(project, iid);
  return sha;
}

const tested = (project: TestProject, iid: number): Promise<Body> =>
  eventually(async () => {
    const { body } = await api(developer, 'GET', car(project, iid));
    expect(body).toMatchObject({ status: 'fresh', pipeline: { ref: `refs/merge-requests/${iid}/train` } });
    return body;
  });

const green = (project: TestProject, entry: Body) =>
  status(project, entry.pipeline.sha, { state: 'success', name: 'ci', pipeline_id: entry.pipeline.id }, maintainer);

test('a merge request whose commits came in with one built on it is merged as well', async () => {
  const project = await newProject({ merge_trains_enabled: true });
  await ready(project, 1, 'below');
  await ready(project, 2, 'above', 'below');
  expect((await api(maintainer, 'POST', car(project, 2), {})).status).toBe(201);
  await green(project, await tested(project, 2));
  await eventually(async () => expect(await state(project, 2)).toBe('merged'));
  await eventually(async () => expect(await state(project, 1)).toBe('merged'));
});

describe('while a car is being merged', () => {
  /** A car whose landing was begun by a process that is gone: the plan is there, the branch has not moved. */
  async function merging(): Promise<{ project: TestProject; entry: Body }> {
    const project = await newProject({ merge_trains_enabled: true });
    await ready(project, 1, 'one');
    await api(maintainer, 'POST', car(project, 1), {});
    const entry = await tested(project, 1);
    // What `landing_begun` commits, five seconds from now: the sweep, which finds it once it is a second old, leaves
    // time to check it.
    await harness.db.query(sql`update merge_train_cars set status = 'merging' where id = ${entry.id}`);
    await harness.db.query(sql`
      insert into merge_request_merges (merge_request_id, push_id, project_id, target_branch, old_sha, new_sha, source_sha, actor_id,
        tree_sha, car_id, method, squash, pipeline_id, pipeline_status, statuses, created_at)
      select merge_request_id, gen_random_uuid(), project_id, target_branch, onto_sha, sha, source_sha, user_id, tree_sha, id, method,
        squash, pipeline_id, 'success', '[{"id": 1, "name": "ci", "status": "success"}]', now() + interval '5 seconds'
      from merge_train_cars where id = ${entry.id}`);
    await harness.db.query(sql`
      update merge_requests set state = 'locked' where id = (select merge_request_id from merge_train_cars where id = ${entry.id})`);
    return { project, entry };
  }

  test('it is not added, cancelled, removed or closed any more (D8), and then it lands as it was decided', async () => {
    const { project, entry } = await merging();
    const again = await api(developer, 'POST', car(project, 1), {});
    expect([again.status, again.body.message]).toEqual([409, 'Merge request is already set to Auto-Merge']);
    // The same user's same request adds nothing: it is answered as it was.
    expect((await api(maintainer, 'POST', car(project, 1), {})).body).toMatchObject([{ id: entry.id }]);
    expect((await api(maintainer, 'PUT', mr(project, 1, '/merge'), { auto_merge: true })).status).toBe(409);
    expect((await api(maintainer, 'DELETE', car(project, 1))).status).toBe(406);
    expect((await api(maintainer, 'PUT', mr(project, 1), { state_event: 'close' })).status).toBe(409);
    // What is reported after the decision is stored, and changes neither the landing nor its receipt.
    await status(
      project,
      entry.pipeline.sha,
      { state: 'failed', name: 'ci', pipeline_id: entry.pipeline.id },
      maintainer,
    );
    await eventually(async () => expect(await state(project, 1)).toBe('merged'), { within: 20_000 });
    const { body } = await api(developer, 'GET', car(project, 1, '/receipt'));
    expect(body).toMatchObject({
      tested: { sha: entry.pipeline.sha },
      landed: { sha: entry.pipeline.sha },
      pipeline: { status: 'success' },
      statuses: [{ name: 'ci', status: 'success' }],
    });
  });
});

test('a car that git fails to build again and again is removed, and holds no other car up', async () => {
  const project = await newProject({ merge_trains_enabled: true });
  await ready(project, 1, 'lost');
  await ready(project, 2, 'sound');
  await api(maintainer, 'POST', car(project, 1), {});
  await api(maintainer, 'POST', car(project, 2), {});
  const first = await tested(project, 1);
  const second = await tested(project, 2);
  // The commit of the first is gone from the repository, and all but the last tries are behind it.
  await harness.db.query(sql`
    update merge_train_cars set status = 'stale', onto_sha = null, sha = null, pipeline_id = null,
      source_sha = case when id = ${first.id} then ${'1'.repeat(40)} else source_sha end,
      build_failures = case when id = ${first.id} then 5 else 0 end
    where id in (${first.id}, ${second.id})`);
  // Nothing announces that: the next sweep looks at what is due.
  await harness.db.query(
    sql`update merge_trains set due_at = now() - interval '1 second' where project_id = ${project.id}`,
  );
  await eventually(async () => expect((await api(developer, 'GET', car(project, 1))).status).toBe(404), {
    within: 30_000,
  });
  expect(await state(project, 1)).toBe('opened');
  const rows = await harness.db.query<{ reason: string }>(sql`
    select body::jsonb #>> '{mergeTrainEntryRemoved,reason}' as reason from events.outbox
    where body::jsonb #>> '{mergeTrainEntryRemoved,entryId}' = ${String(first.id)}`);
  expect(rows).toEqual([{ reason: 'REASON_BUILD_FAILED' }]);
  expect((await tested(project, 2)).pipeline.id).not.toBe(second.pipeline.id);
});

test('a merge request that is deleted on its train is removed from it first, and no other car waits for it (D6)', async () => {
  const project = await newProject({ merge_trains_enabled: true });
  await ready(project, 1, 'gone');
  await ready(project, 2, 'behind');
  await api(maintainer, 'POST', car(project, 1), {});
  await api(maintainer, 'POST', car(project, 2), {});
  const first = await tested(project, 1);
  const second = await tested(project, 2);
  expect((await api(people.owner, 'DELETE', mr(project, 1))).status).toBe(204);
  const published = await harness.db.query<{ fact: string; actor: string; at: string; removed: object | null }>(sql`
    select split_part(event_id, ':', 1) as fact, body::jsonb ->> 'actorId' as actor, body::jsonb ->> 'occurredAt' as at,
      body::jsonb -> 'mergeTrainEntryRemoved' as removed
    from events.outbox where key = ${String(first.merge_request.id)} and type = 'merge_request.changed' order by id desc limit 2`);
  expect(published).toEqual([
    { fact: 'merge_request.deleted', actor: String(people.owner.id), at: published[0]?.at, removed: null },
    {
      fact: 'merge_request.mergeTrainEntryRemoved',
      actor: String(people.owner.id),
      at: published[0]?.at,
      removed: expect.objectContaining({
        entryId: first.id,
        targetBranch: 'main',
        addedById: maintainer.id,
        reason: 'REASON_CLOSED',
      }),
    },
  ]);
  await eventually(async () => expect((await tested(project, 2)).pipeline.id).not.toBe(second.pipeline.id));
  // One that is on no train is not removed from one.
  await ready(project, 3, 'plain');
  const { body: plain } = await api(developer, 'GET', mr(project, 3));
  expect((await api(people.owner, 'DELETE', mr(project, 3))).status).toBe(204);
  expect(
    await harness.db.query(sql`
      select 1 from events.outbox where key = ${String(plain.id)} and body::jsonb -> 'mergeTrainEntryRemoved' is not null`),
  ).toEqual([]);
});
