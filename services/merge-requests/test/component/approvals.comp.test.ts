import { sql } from '@switchyard/database/sql';
import { ApprovalServiceService } from '@switchyard/protos/merge_requests/v1/approval';
import { Access, Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, type Person, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { addMembers, api, checked, commit, configure, newProject, open, status } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
  await harness.db.query(
    sql`insert into directory.instance (id, tier) values (1, 'ultimate') on conflict (id) do update set tier = 'ultimate'`,
  );
});
afterAll(() => harness?.close());

let branches = 0;

/** An open merge request of the Developer in a project with these settings. */
async function opened(settings: Parameters<typeof newProject>[0] = {}, more: object = {}) {
  const project = await newProject(settings);
  branches += 1;
  const source = `feature-${branches}`;
  const sha = await commit(project, source, { [`${source}.txt`]: 'one\n' }, { start: 'main' });
  const { iid, id } = await open(project, source, more);
  await checked(project, iid);
  return { project, iid, id, source, sha };
}

const approve = (project: TestProject, iid: number, by: Person, body: object = {}) =>
  api(by, 'POST', mr(project, iid, '/approve'), body);
const unapprove = (project: TestProject, iid: number, by: Person) => api(by, 'POST', mr(project, iid, '/unapprove'));
const approvals = async (project: TestProject, iid: number, by: Person = people.reporter): Promise<Body> =>
  (await api(by, 'GET', mr(project, iid, '/approvals'))).body;
const statusOf = async (project: TestProject, iid: number): Promise<string> =>
  (await api(people.reporter, 'GET', mr(project, iid))).body.detailed_merge_status;
const acts = async (id: number): Promise<string[]> => {
  const rows = await harness.db.query<{ body: Body }>(
    sql`select body from events.outbox where type = 'merge_request.changed' order by id`,
  );
  return rows.flatMap(({ body }) =>
    Number(body.mergeRequest.id) === id && body.acted !== undefined ? [body.acted.kind] : [],
  );
};

describe('approvals', () => {
  test('are given and taken back, and shown', async () => {
    const { project, iid, id, sha } = await opened();
    expect(await approvals(project, iid)).toMatchObject({
      id,
      iid,
      user_has_approved: false,
      user_can_approve: false,
      approved: true,
      approved_by: [],
      approvals_required: 0,
      approvals_left: 0,
      has_approval_rules: false,
    });
    expect(await approvals(project, iid, people.maintainer)).toMatchObject({ user_can_approve: true });
    const given = await approve(project, iid, people.maintainer, { sha });
    expect(given.status).toBe(201);
    expect(given.body).toMatchObject({
      user_has_approved: true,
      user_can_approve: false,
      approved: true,
      approved_by: [{ user: { id: people.maintainer.id } }],
    });
    const taken = await unapprove(project, iid, people.maintainer);
    expect(taken).toMatchObject({ status: 201, body: { user_has_approved: false, approved_by: [] } });
    expect((await unapprove(project, iid, people.maintainer)).status).toBe(404);
    expect(await acts(id)).toEqual(['KIND_APPROVED', 'KIND_UNAPPROVED']);
  });

  test('are refused to the author, twice, below Developer, for another head and once it is not open', async () => {
    const { project, iid } = await opened();
    expect((await approve(project, iid, people.developer)).status).toBe(401);
    expect((await approve(project, iid, people.reporter)).status).toBe(403);
    expect((await approve(project, iid, people.outsider)).status).toBe(404);
    expect((await approve(project, 999, people.maintainer)).status).toBe(404);
    const stale = await approve(project, iid, people.maintainer, { sha: 'f'.repeat(40) });
    expect(stale).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^SHA does not match HEAD of source branch: [0-9a-f]{40}$/) },
    });
    expect((await approve(project, iid, people.maintainer)).status).toBe(201);
    expect((await approve(project, iid, people.maintainer)).status).toBe(401);
    await api(people.developer, 'PUT', mr(project, iid), { state_event: 'close' });
    expect((await approve(project, iid, people.owner)).status).toBe(401);
    expect((await unapprove(project, iid, people.maintainer)).status).toBe(401);
  });

  test('count for the number that project and merge request state', async () => {
    const { project, iid } = await opened({ approvals_before_merge: 1 }, { approvals_before_merge: 2 });
    expect(await statusOf(project, iid)).toBe('not_approved');
    expect((await api(people.maintainer, 'PUT', mr(project, iid, '/merge'))).status).toBe(405);
    await approve(project, iid, people.maintainer);
    expect(await approvals(project, iid)).toMatchObject({ approved: false, approvals_required: 2, approvals_left: 1 });
    expect(await statusOf(project, iid)).toBe('not_approved');
    await approve(project, iid, people.owner);
    expect(await statusOf(project, iid)).toBe('mergeable');
    await configure(project, { disable_overriding_approvers_per_merge_request: true });
    expect(await approvals(project, iid)).toMatchObject({ approvals_required: 1 });
    expect((await api(people.maintainer, 'PUT', mr(project, iid, '/merge'))).status).toBe(200);
  });

  test('do not count in a project of the free tier, and not of those who lost it', async () => {
    const { project, iid } = await opened({ approvals_before_merge: 1 });
    await approve(project, iid, people.maintainer);
    expect(await statusOf(project, iid)).toBe('mergeable');
    await harness.db.query(
      sql`update directory.memberships set access_level = 20 where user_id = ${people.maintainer.id}`,
    );
    expect(await statusOf(project, iid)).toBe('not_approved');
    expect(await approvals(project, iid)).toMatchObject({ approvals_left: 1, approved_by: [{ user: { id: 2 } }] });
    await harness.db.query(sql`update directory.namespaces set tier = 'free' where id = 1`);
    expect(await statusOf(project, iid)).toBe('mergeable');
    await harness.db.query(sql`update directory.namespaces set tier = null where id = 1`);
    await harness.db.query(
      sql`update directory.memberships set access_level = 40 where user_id = ${people.maintainer.id}`,
    );
    expect(await statusOf(project, iid)).toBe('mergeable');
  });

  test('go with a push where the project says so, else stay', async () => {
    const { project, iid, source } = await opened(
      { approvals_before_merge: 1 },
      { reviewer_ids: [people.maintainer.id] },
    );
    const reviews = async (): Promise<Body> => (await api(people.reporter, 'GET', mr(project, iid, '/reviewers'))).body;
    await approve(project, iid, people.maintainer);
    expect(await reviews()).toMatchObject([{ state: 'approved' }]);
    await commit(project, source, { 'two.txt': 'two\n' }, { by: people.developer });
    await eventually(async () => expect((await approvals(project, iid)).approved_by).toEqual([]));
    expect(await reviews()).toMatchObject([{ state: 'unapproved' }]);
    expect(await statusOf(project, iid)).not.toBe('mergeable');
    await configure(project, { reset_approvals_on_push: false });
    await approve(project, iid, people.maintainer);
    const head = await commit(project, source, { 'three.txt': 'three\n' }, { by: people.developer });
    await eventually(async () => expect((await api(people.reporter, 'GET', mr(project, iid))).body.sha).toBe(head));
    expect((await approvals(project, iid)).approved_by).toMatchObject([{ user: { id: people.maintainer.id } }]);
  });

  test('are for the author and for who committed as the project says', async () => {
    const { project, iid, source } = await opened({
      merge_requests_author_approval: true,
      merge_requests_disable_committers_approval: true,
      reset_approvals_on_push: false,
      approvals_before_merge: 1,
    });
    // The commit is the Maintainer's, the merge request the Developer's.
    expect(await approvals(project, iid, people.maintainer)).toMatchObject({ user_can_approve: false });
    expect((await approve(project, iid, people.maintainer)).status).toBe(401);
    expect((await approve(project, iid, people.developer)).status).toBe(201);
    expect(await statusOf(project, iid)).toBe('mergeable');
    // Who commits afterwards loses the approval.
    await commit(project, source, { 'two.txt': 'two\n' }, { by: people.developer });
    await eventually(async () => expect((await approvals(project, iid)).approved_by).toEqual([]));
    await configure(project, { merge_requests_disable_committers_approval: false });
    await approve(project, iid, people.developer);
    await configure(project, { merge_requests_author_approval: false });
    expect(await approvals(project, iid)).toMatchObject({ approvals_left: 1 });
  });

  test('are all taken back by a bot, and by no one else', async () => {
    const { project, iid } = await opened();
    await approve(project, iid, people.maintainer);
    const reset = () => api(people.owner, 'PUT', mr(project, iid, '/reset_approvals'));
    expect((await reset()).status).toBe(401);
    await harness.db.query(sql`update directory.users set bot = true where id = ${people.owner.id}`);
    expect((await reset()).status).toBe(202);
    expect((await approvals(project, iid)).approved_by).toEqual([]);
    expect((await reset()).status).toBe(202);
    await harness.db.query(sql`update directory.users set bot = false where id = ${people.owner.id}`);
  });

  test('give way to requested changes, which hold the merge until the reviewer agrees or leaves', async () => {
    const { project, iid, id } = await opened({}, { reviewer_ids: [people.maintainer.id] });
    const reviews = async (): Promise<Body> => (await api(people.reporter, 'GET', mr(project, iid, '/reviewers'))).body;
    const review = (by: Person, state: string) =>
      harness.asCollaboration(ApprovalServiceService).submitReview(
        { projectId: project.id, iid, state },
        {
          requestId: 'test',
          actor: { ...anonymous, userId: by.id, scopes: ['api'] },
          access: Access.fromPartial({ kind: Access_Kind.KIND_PROJECT, id: project.id, level: 40, tier: 'ultimate' }),
        },
      );
    await approve(project, iid, people.maintainer);
    await review(people.maintainer, 'requested_changes');
    expect(await statusOf(project, iid)).toBe('requested_changes');
    expect((await approvals(project, iid)).approved_by).toEqual([]);
    expect(await reviews()).toMatchObject([{ state: 'requested_changes' }]);
    expect((await api(people.maintainer, 'PUT', mr(project, iid, '/merge'))).status).toBe(405);
    await expect(review(people.owner, 'reviewed')).rejects.toMatchObject({ kind: 'not_found' });
    await expect(review(people.maintainer, 'perfect')).rejects.toMatchObject({ kind: 'invalid' });
    await review(people.maintainer, 'reviewed');
    expect(await reviews()).toMatchObject([{ state: 'reviewed' }]);
    await review(people.maintainer, 'requested_changes');
    await approve(project, iid, people.maintainer);
    expect(await reviews()).toMatchObject([{ state: 'approved' }]);
    expect(await statusOf(project, iid)).toBe('mergeable');
    expect(await acts(id)).toEqual([
      'KIND_APPROVED',
      'KIND_CHANGES_REQUESTED',
      'KIND_REVIEWED',
      'KIND_CHANGES_REQUESTED',
      'KIND_APPROVED',
    ]);
    await review(people.maintainer, 'requested_changes');
    await api(people.developer, 'PUT', mr(project, iid), { reviewer_ids: 0 });
    expect(await statusOf(project, iid)).toBe('mergeable');
  });

  test('are looked at once more before a car of a train lands', async () => {
    const { project, iid, sha } = await opened({
      merge_trains_enabled: true,
      merge_train_settling_seconds: 0,
      approvals_before_merge: 1,
    });
    await approve(project, iid, people.owner);
    await status(project, sha, { state: 'success', name: 'build' });
    const boarded = await api(people.maintainer, 'POST', at(project, `/merge_trains/merge_requests/${iid}`), {});
    expect(boarded.status).toBe(201);
    await unapprove(project, iid, people.owner);
    const car = await eventually(async () => {
      const found = (await api(people.maintainer, 'GET', at(project, `/merge_trains/merge_requests/${iid}`))).body;
      expect(found.pipeline?.sha).toMatch(/^[0-9a-f]{40}$/);
      return found;
    });
    const report = { state: 'success', name: 'build', pipeline_id: car.pipeline.id };
    expect((await status(project, car.pipeline.sha, report, people.maintainer)).status).toBe(201);
    await eventually(async () => {
      const gone = await api(people.maintainer, 'GET', at(project, '/merge_trains?scope=active'));
      expect(gone.body).toEqual([]);
    });
    const { body } = await api(people.reporter, 'GET', mr(project, iid));
    expect(body).toMatchObject({ state: 'opened' });
    await eventually(async () => expect(await statusOf(project, iid)).toBe('not_approved'));
  });

  test('that come last have auto-merge go on at once', async () => {
    const { project, iid } = await opened({ approvals_before_merge: 1 });
    const set = await api(people.maintainer, 'PUT', mr(project, iid, '/merge'), { auto_merge: true });
    expect(set).toMatchObject({ status: 200, body: { merge_when_pipeline_succeeds: true, state: 'opened' } });
    await approve(project, iid, people.owner);
    await eventually(async () =>
      expect((await api(people.reporter, 'GET', mr(project, iid))).body.state).toBe('merged'),
    );
  });
});
