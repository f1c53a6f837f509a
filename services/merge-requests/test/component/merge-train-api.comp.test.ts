import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { at, type Body, mergeRequestSteps, mr, type ProjectSettings } from './merge-request-steps';
import { type Harness, type Person, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, checked, commit, configure, head, newProject, open, status } = mergeRequestSteps(
  () => harness,
);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

const { maintainer, developer, reporter, guest, outsider } = people;

const withTrains = (settings: ProjectSettings = {}): Promise<TestProject> =>
  newProject({ merge_trains_enabled: true, ...settings });

const trains = (project: TestProject, path = ''): string => at(project, `/merge_trains${path}`);
const car = (project: TestProject, iid: number, path = ''): string => trains(project, `/merge_requests/${iid}${path}`);

/** Merge request `iid` from a branch `b<iid>` that adds a file, checked, with a green pipeline on its head. */
async function ready(project: TestProject, iid: number, more: object = {}, by: Person = developer): Promise<string> {
  const branch = `b${iid}`;
  const sha = await commit(project, branch, { [`${branch}.txt`]: `${branch}\n` }, { start: 'main' });
  await status(project, sha, { state: 'success', ref: branch });
  expect((await open(project, branch, more, by)).iid).toBe(iid);
  await checked(project, iid);
  return sha;
}

const board = (project: TestProject, iid: number, body: object = {}, by: Person = maintainer) =>
  api(by, 'POST', car(project, iid), body);

/** The entry of a merge request once its pipeline is there. */
const builtEntry = (project: TestProject, iid: number): Promise<Body> =>
  eventually(async () => {
    const { body } = await api(developer, 'GET', car(project, iid));
    expect(body).toMatchObject({ status: 'fresh', pipeline: { ref: `refs/merge-requests/${iid}/train` } });
    return body;
  });

const report = (project: TestProject, entry: Body, state: string, by: Person = maintainer, name = 'ci') =>
  status(project, entry.pipeline.sha, { state, name, pipeline_id: entry.pipeline.id }, by);

const merged = (project: TestProject, iid: number): Promise<Body> =>
  eventually(async () => {
    const { body } = await api(developer, 'GET', mr(project, iid));
    expect(body.state).toBe('merged');
    return body;
  });

const listed = async (project: TestProject, path = ''): Promise<[number, string][]> =>
  (await api(developer, 'GET', trains(project, path))).body.map((entry: Body) => [
    entry.merge_request.iid,
    entry.status,
  ]);

/** Everything about a train that a refused request must leave alone. */
async function standing(project: TestProject): Promise<unknown> {
  const [cars, pipelines, tip] = await Promise.all([
    harness.db.query(
      sql`select id, status, sha, pipeline_id, updated_at from merge_train_cars where project_id = ${project.id} order by id`,
    ),
    harness.db.query(
      sql`select id, status, lock_version from pipelines where project_id = ${project.id} and ref like '%/train' order by id`,
    ),
    head(project, 'main'),
  ]);
  return { cars, pipelines, tip };
}

describe('adding to a train', () => {
  test('201 with the whole train; a status report lands the car; the receipt says what landed', async () => {
    const project = await withTrains();
    const source = await ready(project, 1);
    await ready(project, 2);
    const base = await head(project, 'main');
    const first = await board(project, 1, { sha: source });
    expect([first.status, first.body.length]).toEqual([201, 1]);
    expect(first.body[0]).toMatchObject({
      merge_request: { iid: 1, project_id: project.id, state: 'opened' },
      user: { id: maintainer.id },
      target_branch: 'main',
      merged_at: null,
      duration: null,
    });
    const second = await board(project, 2);
    expect([second.status, second.body.map((entry: Body) => entry.merge_request.iid)]).toEqual([201, [1, 2]]);
    expect(second.headers.get('x-total')).toBe('2');

    const entry = await builtEntry(project, 1);
    await builtEntry(project, 2);
    const pending = await api(developer, 'GET', at(project, '/pipelines?source=merge_request_event&status=pending'));
    // What waits for an outside CI is pending from the start: that is how the CI finds it (D8).
    expect(pending.body.map(({ ref }: Body) => ref)).toEqual(['refs/merge-requests/2/train', entry.pipeline.ref]);

    expect((await report(project, entry, 'success')).status).toBe(201);
    const landed = await merged(project, 1);
    expect(await head(project, 'main')).toBe(entry.pipeline.sha);
    expect(landed.merge_commit_sha).toBe(entry.pipeline.sha);
    const done = (await api(developer, 'GET', car(project, 1))).body;
    expect(done).toMatchObject({ id: entry.id, status: 'merged', merge_request: { state: 'merged' } });
    expect(done.duration).toBe(Math.floor((Date.parse(done.merged_at) - Date.parse(done.created_at)) / 1000));
    expect(await listed(project, '?scope=complete')).toEqual([[1, 'merged']]);
    expect(await listed(project, '/main?scope=active')).toEqual([[2, 'fresh']]);
    expect((await listed(project)).map(([iid]) => iid)).toEqual([2, 1]);
    expect((await listed(project, '?sort=asc')).map(([iid]) => iid)).toEqual([1, 2]);
    expect(await listed(project, '/none')).toEqual([]);

    const receipt = await api(developer, 'GET', car(project, 1, '/receipt'));
    expect(receipt).toMatchObject({
      status: 200,
      body: {
        merge_request: { id: landed.id, iid: 1 },
        target_branch: 'main',
        method: 'merge',
        squash: false,
        head_sha: source,
        base_sha: base,
        tested: { sha: entry.pipeline.sha },
        pipeline: { id: entry.pipeline.id, status: 'success' },
        statuses: [{ name: 'ci', status: 'success', allow_failure: false }],
        required_statuses: [],
        landed: { sha: entry.pipeline.sha },
        merge_commit_sha: entry.pipeline.sha,
        added_by: { id: maintainer.id },
      },
    });
    expect(receipt.body.landed.tree).toBe(receipt.body.tested.tree);
    expect((await api(developer, 'GET', car(project, 2, '/receipt'))).body).toEqual({
      message: '404 Landing Receipt Not Found',
    });
  });

  test('202 while the pipeline runs; it is added by itself when that has succeeded', async () => {
    const project = await withTrains();
    const sha = await commit(project, 'b1', { 'one.txt': 'one\n' }, { start: 'main' });
    await status(project, sha, { state: 'running', ref: 'b1' });
    await open(project, 'b1');
    await checked(project, 1);
    for (const flag of ['when_pipeline_succeeds', 'auto_merge']) {
      const waits = await board(project, 1, { [flag]: true });
      expect([waits.status, waits.body]).toEqual([202, []]);
      expect((await api(developer, 'GET', mr(project, 1))).body.merge_when_pipeline_succeeds).toBe(true);
      expect((await board(project, 1)).body).toEqual({ message: 'Merge request is already set to Auto-Merge' });
      const canceled = await api(maintainer, 'POST', mr(project, 1, '/cancel_merge_when_pipeline_succeeds'));
      expect(canceled.status).toBe(201);
    }
    expect((await board(project, 1, { auto_merge: true })).status).toBe(202);
    await status(project, sha, { state: 'success', ref: 'b1' });
    await builtEntry(project, 1);
  });

  test.each<[string, number, object, Person, string | undefined]>([
    ['a wrong sha', 409, { sha: 'f'.repeat(40) }, maintainer, 'SHA does not match HEAD of source branch: <head>'],
    ['no merge right', 401, {}, developer, '401 Unauthorized'],
    ['a Reporter', 403, {}, reporter, '403 Forbidden'],
    ['a Guest', 403, {}, guest, '403 Forbidden'],
    ['a outsider', 404, {}, outsider, '404 Project Not Found'],
  ])('is refused: %s', async (_, code, body, by, message) => {
    const project = await withTrains();
    const sha = await ready(project, 1);
    const reply = await board(project, 1, body, by);
    expect([reply.status, reply.body]).toEqual([code, { message: message?.replace('<head>', sha) }]);
    expect((await api(developer, 'GET', car(project, 1))).body).toEqual({
      message: '404 Merge Train Merge Request Not Found',
    });
    expect(await listed(project)).toEqual([]);
  });

  const failed = { message: '400 Bad request - Failed to merge' };

  test('is refused where trains are off, without a finished pipeline, and for what is not open or not ready', async () => {
    const project = await withTrains();
    const refused = async (iid: number, body: object = {}) => {
      const reply = await board(project, iid, body);
      expect([reply.status, reply.body]).toEqual([400, failed]);
    };
    await ready(project, 1);
    await configure(project, { merge_trains_enabled: false });
    await refused(1);
    await refused(1, { auto_merge: true });
    await configure(project, { merge_trains_enabled: true });

    // No pipeline at all: nothing to wait for either.
    await commit(project, 'b2', { 'two.txt': '2\n' }, { start: 'main' });
    await open(project, 'b2');
    await checked(project, 2);
    await refused(2);
    await refused(2, { auto_merge: true });

    const running = await commit(project, 'b3', { 'three.txt': '3\n' }, { start: 'main' });
    await status(project, running, { state: 'running', ref: 'b3' });
    await open(project, 'b3');
    await checked(project, 3);
    await refused(3);

    await ready(project, 4, { title: 'Draft: four' });
    await refused(4);
    await ready(project, 5);
    await api(developer, 'PUT', mr(project, 5), { state_event: 'close' });
    await refused(5);
    await ready(project, 6);
    expect((await api(maintainer, 'DELETE', at(project, '/repository/branches/b6'))).status).toBe(204);
    await eventually(async () => expect((await api(developer, 'GET', mr(project, 6))).body.state).toBe('closed'));
    await refused(6);

    const missing = await board(project, 99);
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Not found' }]);
    expect(await listed(project)).toEqual([]);
  });

  test('is refused for a merged one', async () => {
    const project = await withTrains();
    await ready(project, 1);
    await board(project, 1);
    await report(project, await builtEntry(project, 1), 'success');
    await merged(project, 1);
    const reply = await board(project, 1);
    expect([reply.status, reply.body]).toEqual([400, failed]);
    expect(await listed(project)).toEqual([[1, 'merged']]);
  });

  test('on a target branch that was deleted', async () => {
    const project = await withTrains();
    await api(maintainer, 'POST', at(project, '/repository/branches'), { branch: 'stable', ref: 'main' });
    await ready(project, 1, { target_branch: 'stable' });
    expect((await api(maintainer, 'DELETE', at(project, '/repository/branches/stable'))).status).toBe(204);
    const reply = await board(project, 1);
    expect([reply.status, reply.body]).toEqual([400, failed]);
    expect(await listed(project)).toEqual([]);
  });

  test('twice: the same user for the same head is answered as before, another user is not', async () => {
    const project = await withTrains();
    const source = await ready(project, 1);
    await ready(project, 2);
    const first = await board(project, 1, { sha: source });
    expect(first.status).toBe(201);
    const ids = (body: Body): number[] => body.map((entry: Body) => entry.id);
    const added = () =>
      harness.db.query(sql`select id from events.outbox where body::text like '%mergeTrainEntryAdded%'`);
    const before = await added();
    const again = await board(project, 1, { sha: source });
    expect([again.status, ids(again.body)]).toEqual([201, ids(first.body)]);
    for (const other of [
      await board(project, 1, { sha: source }, people.owner),
      await board(project, 1, { squash: true }),
      await api(maintainer, 'PUT', mr(project, 1, '/merge'), { auto_merge: true }),
    ]) {
      expect([other.status, other.body]).toEqual([409, { message: 'Merge request is already set to Auto-Merge' }]);
    }
    const wrong = await board(project, 1, { sha: 'f'.repeat(40) });
    expect([wrong.status, wrong.body.message]).toEqual([409, `SHA does not match HEAD of source branch: ${source}`]);
    expect(await added()).toEqual(before);

    const both = await Promise.all([board(project, 2), board(project, 2), board(project, 2)]);
    expect(both.map((reply) => [reply.status, ids(reply.body).length])).toEqual([
      [201, 2],
      [201, 2],
      [201, 2],
    ]);
    expect((await board(project, 2, {}, people.owner)).status).toBe(409);
    expect((await listed(project, '?sort=asc')).map(([iid]) => iid)).toEqual([1, 2]);
  });

  test('twice, before its checks pass: 202 again for the same user and head', async () => {
    const project = await withTrains();
    const branch = 'b1';
    const sha = await commit(project, branch, { 'b1.txt': 'b1\n' }, { start: 'main' });
    await status(project, sha, { state: 'running', ref: branch });
    await open(project, branch, {}, developer);
    await checked(project, 1);
    expect((await board(project, 1, { auto_merge: true })).status).toBe(202);
    const before = await api(developer, 'GET', mr(project, 1));
    const again = await board(project, 1, { auto_merge: true });
    expect([again.status, again.body]).toEqual([202, []]);
    expect((await api(developer, 'GET', mr(project, 1))).body.updated_at).toBe(before.body.updated_at);
    expect((await board(project, 1, { auto_merge: true }, people.owner)).status).toBe(409);
    // Now, and not later, is another request.
    expect((await board(project, 1)).status).toBe(409);
    expect(await listed(project)).toEqual([]);
  });

  test('with a wish to squash, which holds for the landing', async () => {
    const project = await withTrains();
    await ready(project, 1);
    expect((await board(project, 1, { squash: true })).status).toBe(201);
    await report(project, await builtEntry(project, 1), 'success');
    const landed = await merged(project, 1);
    expect(landed).toMatchObject({ squash: true, squash_commit_sha: expect.any(String) });
    expect((await api(developer, 'GET', car(project, 1, '/receipt'))).body).toMatchObject({
      squash: true,
      squash_commit_sha: landed.squash_commit_sha,
    });
  });
});

describe('leaving a train', () => {
  test('DELETE: users who may merge, and the author; no one else', async () => {
    const project = await withTrains();
    await ready(project, 1, {}, maintainer);
    await ready(project, 2, {}, developer);
    await board(project, 1);
    await board(project, 2);
    await builtEntry(project, 1);
    const second = await builtEntry(project, 2);
    const remove = (iid: number, by: Person) => api(by, 'DELETE', car(project, iid));
    expect((await remove(1, reporter)).status).toBe(403);
    expect((await remove(1, outsider)).status).toBe(404);
    const foreign = await remove(1, developer);
    expect([foreign.status, foreign.body]).toEqual([401, { message: '401 Unauthorized' }]);
    expect(await remove(1, maintainer)).toMatchObject({ status: 204, text: '' });
    expect((await api(developer, 'GET', car(project, 1))).body).toEqual({
      message: '404 Merge Train Merge Request Not Found',
    });
    expect((await remove(1, maintainer)).body).toEqual({ message: '404 Merge Train Merge Request Not Found' });
    expect((await remove(99, maintainer)).body).toEqual({ message: '404 Not found' });
    expect((await api(developer, 'GET', mr(project, 1))).body).toMatchObject({
      state: 'opened',
      merge_when_pipeline_succeeds: false,
    });
    // The car behind it is tested again, on the target branch itself.
    await eventually(async () => {
      const { body } = await api(developer, 'GET', car(project, 2));
      expect(body.pipeline?.id).not.toBe(second.pipeline.id);
      expect(body).toMatchObject({ status: 'fresh', pipeline: { status: 'pending' } });
    });
    const old = await api(developer, 'GET', at(project, `/pipelines/${second.pipeline.id}`));
    expect(old.body.status).toBe('canceled');
    expect((await remove(2, developer)).status).toBe(204);
    expect(await listed(project)).toEqual([]);
    expect((await board(project, 1)).status).toBe(201);
  });
});

describe('reports on a train', () => {
  test('that are bad are refused, and the train stands', async () => {
    const project = await withTrains();
    await ready(project, 1);
    await board(project, 1);
    const entry = await builtEntry(project, 1);
    const { sha, id, ref } = entry.pipeline;
    const before = await standing(project);
    const send = (body: object, by: Person = maintainer) => status(project, sha, { state: 'success', ...body }, by);

    // Developers may report anywhere else.
    for (const where of [{ pipeline_id: id }, { ref }, {}]) {
      expect((await send(where, developer)).status).toBe(403);
    }
    expect((await send({ pipeline_id: id }, reporter)).status).toBe(403);
    const unknown = await send({ pipeline_id: id, state: 'finished' });
    expect([unknown.status, unknown.body]).toEqual([400, { error: 'state does not have a valid value' }]);

    const other = await withTrains();
    await ready(other, 1);
    await board(other, 1);
    const foreign = await builtEntry(other, 1);
    expect((await send({ pipeline_id: foreign.pipeline.id })).status).toBe(404);
    expect((await send({ pipeline_id: 2 ** 40 })).status).toBe(404);
    expect((await send({ pipeline_id: 'x' })).status).toBe(400);
    // A pipeline of the project, but of another commit.
    const main = (await head(project, 'main')) as string;
    expect((await status(project, main, { state: 'success', pipeline_id: id }, maintainer)).status).toBe(404);

    const large = await send({ pipeline_id: id, description: 'x'.repeat(10 << 20) });
    expect(large.status).toBe(413);
    const long = await send({ pipeline_id: id, description: 'x'.repeat(1 << 20) });
    expect([long.status, long.body]).toEqual([
      400,
      { message: { description: ['is too long (maximum is 255 characters)'] } },
    ]);
    expect((await send({ pipeline_id: id, name: 'a', context: 'b' })).status).toBe(400);
    expect((await send({ pipeline_id: id, coverage: 101 })).status).toBe(400);
    expect(await standing(project)).toEqual(before);
    expect((await report(project, entry, 'success')).status).toBe(201);
    await merged(project, 1);
  });

  test('never make or revive a pipeline on a train ref', async () => {
    const project = await withTrains();
    await ready(project, 1);
    await board(project, 1);
    const entry = await builtEntry(project, 1);
    expect((await api(maintainer, 'DELETE', car(project, 1))).status).toBe(204);
    const before = await standing(project);
    expect((await report(project, entry, 'success')).status).toBeLessThan(500);
    const made = await status(project, entry.pipeline.sha, { state: 'success', ref: entry.pipeline.ref }, maintainer);
    expect(made.status).toBeLessThan(500);
    expect(
      (
        await status(
          project,
          (await head(project, 'main')) as string,
          { state: 'success', ref: entry.pipeline.ref },
          maintainer,
        )
      ).status,
    ).toBe(404);
    expect(await standing(project)).toEqual(before);
    expect((await api(developer, 'GET', mr(project, 1))).body.state).toBe('opened');
  });

  test('who may not merge neither cancels, retries nor deletes a pipeline of the train', async () => {
    const project = await withTrains();
    await ready(project, 1);
    await board(project, 1);
    const entry = await builtEntry(project, 1);
    const pipeline = at(project, `/pipelines/${entry.pipeline.id}`);
    await report(project, entry, 'running', maintainer, 'flaky');
    const before = await standing(project);
    const expected = [403, { message: '403 Forbidden' }];
    for (const [verb, path] of [
      ['POST', '/cancel'],
      ['POST', '/retry'],
      ['DELETE', ''],
    ]) {
      const refused = await api(developer, verb as string, `${pipeline}${path}`);
      expect([verb, path, refused.status, refused.body]).toEqual([verb, path, ...expected]);
    }
    expect(await standing(project)).toEqual(before);

    // On any other ref Developers act as ever.
    const own = await api(developer, 'GET', at(project, '/pipelines?ref=b1'));
    expect((await api(developer, 'POST', at(project, `/pipelines/${own.body[0].id}/cancel`))).status).toBe(201);
    expect((await api(maintainer, 'POST', `${pipeline}/cancel`)).status).toBe(201);
    await eventually(async () => expect(await listed(project, '?scope=active')).toEqual([]));
  });

  test('a pipeline that is deleted is made again, and so are those behind it', async () => {
    const project = await withTrains();
    await ready(project, 1);
    await ready(project, 2);
    await board(project, 1);
    await board(project, 2);
    const before = await builtEntry(project, 1);
    await builtEntry(project, 2);
    expect((await api(people.owner, 'DELETE', at(project, `/pipelines/${before.pipeline.id}`))).status).toBe(204);
    const rebuilt = await eventually(async () => {
      const { body } = await api(developer, 'GET', car(project, 1));
      expect(body).toMatchObject({ status: 'fresh', pipeline: { status: 'pending' } });
      expect(body.pipeline.id).not.toBe(before.pipeline.id);
      return body;
    });
    await report(project, rebuilt, 'success');
    await merged(project, 1);
    expect(await listed(project, '?scope=active')).toEqual([[2, 'fresh']]);
  });

  test('by name: what the project requires, in any order, twice and late', async () => {
    const project = await withTrains({ merge_train_required_statuses: ['build', 'test'] });
    await ready(project, 1);
    await board(project, 1);
    const entry = await builtEntry(project, 1);
    await report(project, entry, 'success', maintainer, 'test');
    await report(project, entry, 'success', maintainer, 'test');
    await report(project, entry, 'failed', maintainer, 'lint');
    await report(project, entry, 'running', maintainer, 'build');
    expect((await api(developer, 'GET', mr(project, 1))).body.state).toBe('opened');
    await report(project, entry, 'success', maintainer, 'build');
    await merged(project, 1);
    expect((await api(developer, 'GET', car(project, 1, '/receipt'))).body.required_statuses).toEqual([
      'build',
      'test',
    ]);
  });
});
