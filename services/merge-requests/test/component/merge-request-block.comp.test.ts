import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { type Body, mr } from './merge-request-steps';
import { mergeTrainSteps } from './merge-train-steps';
import { type Harness, type Person, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const {
  api,
  addMembers,
  checked,
  commit,
  newProject,
  open,
  ready,
  board,
  queue,
  tested,
  report,
  merged,
  standing,
  facts,
} = mergeTrainSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

async function opened(project: TestProject, name: string): Promise<Body> {
  await commit(project, name, { [`${name}.txt`]: name }, { start: 'main' });
  const made = await open(project, name);
  return checked(project, made.iid);
}

const block = (project: TestProject, iid: number, body: object, by: Person = people.developer) =>
  api(by, 'POST', mr(project, iid, '/blocks'), body);
const detailed = async (project: TestProject, iid: number) =>
  (await api(people.developer, 'GET', mr(project, iid))).body.detailed_merge_status;
const merge = (project: TestProject, iid: number, body: object = {}) =>
  api(people.maintainer, 'PUT', mr(project, iid, '/merge'), body);

/** Everybody of the tests is a member of all projects: one that some may not read is of a group of its own. */
async function hide(project: TestProject): Promise<void> {
  await harness.db.query(sql`
    insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
    values (99, 'group', 'Hidden', 'hidden', 'hidden', 'Hidden', '{99}', 'private', false) on conflict do nothing`);
  await harness.db.query(sql`update directory.projects set namespace_id = 99 where id = ${project.id}`);
}

describe('dependencies of merge requests', () => {
  test('hold a merge until what it waits for is merged', async () => {
    const project = await newProject();
    const first = await opened(project, 'first');
    const second = await opened(project, 'second');
    const made = await block(project, second.iid, { blocking_merge_request_id: first.id });
    expect(made).toMatchObject({
      status: 201,
      body: { project_id: project.id, blocking_merge_request: { id: first.id, title: 'Merge first' } },
    });
    const blocks = async (iid: number, side = 'blocks') =>
      (await api(people.reporter, 'GET', mr(project, iid, `/${side}`))).body;
    expect(await blocks(second.iid)).toEqual([made.body]);
    expect(await blocks(first.iid)).toEqual([]);
    expect(await blocks(first.iid, 'blockees')).toMatchObject([
      { id: made.body.id, blocked_merge_request: { id: second.id } },
    ]);
    const one = mr(project, second.iid, `/blocks/${made.body.id}`);
    expect((await api(people.reporter, 'GET', one)).body).toEqual(made.body);
    expect((await api(people.reporter, 'GET', mr(project, first.iid, `/blocks/${made.body.id}`))).status).toBe(404);
    expect(await block(project, second.iid, { blocking_merge_request_iid: first.iid })).toMatchObject({
      status: 409,
      body: { message: 'Block already exists' },
    });

    expect(await detailed(project, second.iid)).toBe('merge_request_blocked');
    expect((await merge(project, second.iid)).status).toBe(405);
    // One that is closed blocks still.
    await api(people.developer, 'PUT', mr(project, first.iid), { state_event: 'close' });
    expect(await detailed(project, second.iid)).toBe('merge_request_blocked');
    await api(people.developer, 'PUT', mr(project, first.iid), { state_event: 'reopen' });
    await checked(project, first.iid);
    // Auto-merge waits for it, and merges soon after it.
    const set = await merge(project, second.iid, { auto_merge: true });
    expect([set.status, set.body.merge_when_pipeline_succeeds]).toEqual([200, true]);
    expect((await merge(project, first.iid)).body.state).toBe('merged');
    await eventually(
      async () => expect((await api(people.developer, 'GET', mr(project, second.iid))).body.state).toBe('merged'),
      { within: 20_000 },
    );
  });

  test('are taken back', async () => {
    const project = await newProject();
    const first = await opened(project, 'first');
    const second = await opened(project, 'second');
    const { id } = (await block(project, second.iid, { blocking_merge_request_id: first.id })).body;
    const one = mr(project, second.iid, `/blocks/${id}`);
    expect((await api(people.reporter, 'DELETE', one)).status).toBe(403);
    expect((await api(people.outsider, 'DELETE', one)).status).toBe(404);
    expect((await api(people.developer, 'DELETE', mr(project, first.iid, `/blocks/${id}`))).status).toBe(404);
    expect((await api(people.developer, 'DELETE', one)).status).toBe(204);
    expect((await api(people.developer, 'DELETE', one)).status).toBe(404);
    expect(await detailed(project, second.iid)).toBe('mergeable');
    // One that is deleted blocks no more.
    await block(project, second.iid, { blocking_merge_request_id: first.id });
    expect(await detailed(project, second.iid)).toBe('merge_request_blocked');
    expect((await api(people.owner, 'DELETE', mr(project, first.iid))).status).toBe(204);
    expect(await detailed(project, second.iid)).toBe('mergeable');
  });

  test('that are made while a merge is on its way stop it, or come after it', async () => {
    const project = await newProject();
    const first = await opened(project, 'first');
    const second = await opened(project, 'second');
    const waiting = async (count: number) =>
      eventually(async () =>
        expect(
          await harness.db.query(sql`
            select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%merge_requests%'`),
        ).toHaveLength(count),
      );

    // The merge has passed its checks and waits for the row when the block is made.
    const { stopped } = await harness.db.transaction(async (tx) => {
      await tx.query(sql`select 1 from merge_requests where id = ${second.id} for no key update`);
      const stopped = merge(project, second.iid);
      await waiting(1);
      await tx.query(
        sql`insert into merge_request_blocks (blocking_id, blocked_id) values (${first.id}, ${second.id})`,
      );
      return { stopped };
    });
    expect((await stopped).status).toBe(405);
    expect(await detailed(project, second.iid)).toBe('merge_request_blocked');
    await harness.db.query(sql`delete from merge_request_blocks where blocked_id = ${second.id}`);

    // The block waits for whoever has the row, and is made when the merge has begun.
    const { late } = await harness.db.transaction(async (tx) => {
      await tx.query(sql`select 1 from merge_requests where id = ${second.id} for no key update`);
      const late = block(project, second.iid, { blocking_merge_request_id: first.id });
      await waiting(1);
      return { late };
    });
    expect((await late).status).toBe(201);
  });

  test('make no cycle, over projects either', async () => {
    const [here, there] = [await newProject(), await newProject()];
    const a = await opened(here, 'a');
    const b = await opened(there, 'b');
    const c = await opened(here, 'c');
    const refused = (reason: string) => ({ status: 400, body: { message: { blocking_merge_request: [reason] } } });
    expect(await block(here, a.iid, { blocking_merge_request_id: a.id })).toMatchObject(
      refused('cannot be the merge request itself'),
    );
    const across = { blocking_merge_request_iid: b.iid, blocking_project_id: there.id };
    expect((await block(here, a.iid, across)).body.blocking_merge_request.id).toBe(b.id);
    expect((await block(there, b.iid, { blocking_merge_request_id: c.id })).status).toBe(201);
    for (const [project, iid, blocking] of [
      [there, b.iid, a.id],
      [here, c.iid, a.id],
      [here, c.iid, b.id],
    ] as const)
      expect(await block(project, iid, { blocking_merge_request_id: blocking })).toMatchObject(
        refused('depends on this merge request'),
      );
    // Of two that would make one together, one is refused.
    const d = await opened(here, 'd');
    const e = await opened(here, 'e');
    const both = await Promise.all([
      block(here, d.iid, { blocking_merge_request_id: e.id }),
      block(here, e.iid, { blocking_merge_request_id: d.id }),
    ]);
    expect(both.map((reply) => reply.status).sort()).toEqual([201, 400]);
  });

  test('are refused for what is not there or hidden, and hide what is hidden', async () => {
    const [project, secret] = [await newProject(), await newProject()];
    const one = await opened(project, 'one');
    const hidden = await opened(secret, 'hidden');
    const { id } = (await block(project, one.iid, { blocking_merge_request_id: hidden.id })).body;
    await hide(secret);
    for (const body of [
      { blocking_merge_request_id: hidden.id },
      { blocking_merge_request_id: 999_999 },
      { blocking_merge_request_iid: 1, blocking_project_id: secret.id },
      { blocking_merge_request_iid: 999 },
    ])
      expect(await block(project, one.iid, body)).toMatchObject({ status: 404, body: { message: '404 Not found' } });
    expect((await block(project, one.iid, {})).body).toEqual({
      error:
        'blocking_merge_request_id, blocking_merge_request_iid are missing, exactly one parameter must be provided',
    });
    expect((await block(project, one.iid, { blocking_merge_request_id: 1, blocking_project_id: 1 })).status).toBe(400);
    expect((await block(project, one.iid, { blocking_merge_request_id: 0 })).status).toBe(400);
    expect((await block(project, one.iid, { blocking_merge_request_id: one.id }, people.reporter)).status).toBe(403);
    const listed = await api(people.developer, 'GET', mr(project, one.iid, '/blocks'));
    expect(listed.body).toEqual([{ id, project_id: project.id }]);
    const path = mr(project, one.iid, `/blocks/${id}`);
    expect((await api(people.developer, 'GET', path)).body).toEqual({ id, project_id: project.id });
    expect((await api(people.developer, 'DELETE', path)).status).toBe(403);
    expect(await detailed(project, one.iid)).toBe('merge_request_blocked');
    // What is in a deleted project cannot be merged any more, and blocks nothing.
    await harness.db.query(sql`update directory.projects set deleting = true where id = ${secret.id}`);
    expect(await detailed(project, one.iid)).toBe('mergeable');
  });

  test('are a hundred at the most, in a list of constant cost', async () => {
    const project = await newProject();
    const one = await opened(project, 'one');
    const two = await opened(project, 'two');
    await harness.db.query(sql`
      insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title)
      select 1000 + n, ${project.id}, ${project.id}, 's' || n, 'main', 3, 'T' from generate_series(1, 100) n`);
    await harness.db.query(sql`
      insert into merge_request_blocks (blocking_id, blocked_id)
      select id, ${one.id} from merge_requests where project_id = ${project.id} and iid > 1000`);
    expect(await block(project, one.iid, { blocking_merge_request_id: two.id })).toMatchObject({
      status: 400,
      body: { message: { base: ['A merge request depends on at most 100 others'] } },
    });
    const list = (perPage: number) => api(people.reporter, 'GET', mr(project, one.iid, `/blocks?per_page=${perPage}`));
    const [few, many] = [await list(2), await list(100)];
    expect([few.body.length, many.body.length]).toEqual([2, 100]);
    expect(many.headers.get('x-switchyard-cost')).toBe(few.headers.get('x-switchyard-cost'));
  });

  test('keep a merge request from its train until they are merged', async () => {
    const project = await newProject({ merge_trains_enabled: true, merge_train_settling_seconds: 0 });
    for (const iid of [1, 2, 3]) {
      await ready(project, iid);
      await checked(project, iid);
    }
    await block(project, 2, { blocking_merge_request_iid: 1 });
    expect((await board(project, 2)).status).toBe(400);
    expect((await board(project, 2, { auto_merge: true })).status).toBe(202);
    expect(await queue(project)).toEqual([]);
    expect((await board(project, 1)).status).toBe(201);
    await report(project, (await tested(project, [1]))[1], 'success');
    await merged(project, 1);
    const { 2: car } = await tested(project, [2]);
    // One that comes to wait while it is on the train is removed before it lands, with the reason.
    await block(project, 2, { blocking_merge_request_iid: 3 });
    await report(project, car, 'success');
    await standing(project, (_entries, inOrder) => expect(inOrder).toEqual([]));
    expect((await checked(project, 2)).detailed_merge_status).toBe('merge_request_blocked');
    expect((await facts(project, 'mergeTrainEntryRemoved')).map(([iid, fact]) => [iid, fact.reason])).toEqual([
      [2, expect.stringMatching(/NOT_MERGEABLE/i)],
    ]);
  });
});
