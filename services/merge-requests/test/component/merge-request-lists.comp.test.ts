import { sql } from '@switchyard/database/sql';
import { MergeRequestTargetServiceService } from '@switchyard/protos/merge_requests/v1/merge_request_target';
import { purgePeople } from '../../src/merge-requests/application/purge-people';
import { orphanStore } from '../../src/merge-requests/storage/merge-request-people.store';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, type Person, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, commit, newProject, open } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

describe('lists', () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await newProject();
    for (const [branch, more] of [
      ['one', { labels: 'list-a,list-b', assignee_id: people.maintainer.id, description: 'Needle in here' }],
      ['two', { title: 'Draft: Two', labels: 'list-a', reviewer_ids: [people.owner.id] }],
      ['three', { title: 'Three' }],
    ] as const) {
      await commit(project, branch, { [`${branch}.txt`]: branch }, { start: 'main' });
      await open(project, branch, more);
    }
    await api(people.developer, 'PUT', mr(project, 3), { state_event: 'close' });
    for (const [iid, by] of [
      [1, people.maintainer],
      [1, people.owner],
      [2, people.owner],
    ] as const)
      expect((await api(by, 'POST', mr(project, iid, '/approve'), {})).status).toBe(201);
    const rule = (name: string, ...ids: number[]) => ({ name, approvals_required: 0, user_ids: ids });
    await api(
      people.maintainer,
      'POST',
      at(project, '/approval_rules'),
      rule('all', people.owner.id, people.reporter.id),
    );
    await api(people.maintainer, 'POST', at(project, '/approval_rules'), rule('again', people.owner.id));
    await api(people.developer, 'POST', mr(project, 2, '/approval_rules'), rule('own', people.developer.id));
  });

  it('tell collaboration who has to do with each, without those that are gone; a subscription ends once', async () => {
    const targets = harness.asCollaboration(MergeRequestTargetServiceService);
    const rows = await harness.db.query<{ id: number }>(
      sql`select id from merge_requests where project_id = ${project.id} order by iid`,
    );
    const ids = rows.map(({ id }) => id);
    const peopleOf = async (asked: number[]) =>
      (await targets.listPeople({ ids: asked }, { requestId: 'people' })).people.sort((a, b) => a.id - b.id);
    expect(await peopleOf([...ids, 999_999_999])).toMatchObject([
      { iid: 1, authorId: people.developer.id, assigneeIds: [people.maintainer.id], description: 'Needle in here' },
      { iid: 2, title: 'Draft: Two', assigneeIds: [], reviewerIds: [people.owner.id] },
      { iid: 3, projectId: project.id, assigneeIds: [], reviewerIds: [] },
    ]);
    await api(people.reporter, 'POST', mr(project, 1, '/subscribe'));
    const [id = 0] = ids;
    expect(await peopleOf([id])).toMatchObject([{ subscribedIds: [people.reporter.id], unsubscribedIds: [] }]);
    for (const userId of [people.reporter.id, people.reporter.id, people.maintainer.id])
      await targets.endSubscription({ id, userId }, { requestId: 'end' });
    await targets.endSubscription({ id: 999_999_999, userId: people.reporter.id }, { requestId: 'gone' });
    const [ended] = await peopleOf([id]);
    expect([ended?.subscribedIds, [...(ended?.unsubscribedIds ?? [])].sort()]).toEqual([
      [],
      [people.maintainer.id, people.reporter.id].sort(),
    ]);
  });

  const list = async (query: string, by: Person = people.reporter) => {
    const reply = await api(by, 'GET', at(project, `/merge_requests?${query}`));
    expect([query, reply.status]).toEqual([query, 200]);
    return reply.body.map((row: Body) => row.iid);
  };

  test.each([
    ['approved_by_ids=1,2,3,4,5,6', 'approved_by_ids is too long (maximum is 5 entries)'],
    ['approved_by_usernames=a,b,c,d,e,f', 'approved_by_usernames is too long (maximum is 5 entries)'],
    ['approved=maybe', 'approved does not have a valid value'],
    ['approver_ids=ada', 'approver_ids is invalid'],
    ['approved_by_ids=1&approved_by_usernames=a', 'approved_by_ids, approved_by_usernames are mutually exclusive'],
  ])('refuse %s', async (query, error) => {
    expect(await api(people.reporter, 'GET', at(project, `/merge_requests?${query}`))).toMatchObject({
      status: 400,
      body: { error },
    });
  });

  test.each([
    ['', [3, 2, 1]],
    ['sort=asc&order_by=title', [2, 1, 3]],
    ['state=closed', [3]],
    ['iids[]=1&iids[]=3', [3, 1]],
    ['wip=yes', [2]],
    ['wip=no', [3, 1]],
    ['labels=list-a,list-b', [1]],
    ['labels=LIST-A', []],
    ['labels=List-B,list-a', []],
    ['not[labels]=List-B', [3, 2, 1]],
    ['labels=None', [3]],
    ['labels=nOnE', [3]],
    ['labels=Any', [2, 1]],
    ['not[labels]=list-b', [3, 2]],
    ['assignee_id=2', [1]],
    ['assignee_id=None', [3, 2]],
    ['assignee_username[]=user2', [1]],
    ['reviewer_username=user1', [2]],
    ['reviewer_id=Any', [2]],
    ['approved=yes', [2, 1]],
    ['approved=no', [3]],
    ['approved_by_ids[]=1', [2, 1]],
    ['approved_by_ids=1,2', [1]],
    ['approved_by_ids=1,2,3', []],
    ['approved_by_ids=None', [3]],
    ['approved_by_ids=any', [2, 1]],
    ['approved_by_usernames=USER2', [1]],
    ['approved_by_usernames=user1,user2', [1]],
    ['approved_by_usernames=None', [3]],
    ['approver_ids=1', [3, 1]],
    ['approver_ids=1,4', [3, 1]],
    ['approver_ids=1,3', []],
    ['approver_ids[]=3', [2]],
    ['approver_ids=Any', [3, 2, 1]],
    ['approver_ids=None', []],
    ['author_username=USER3', [3, 2, 1]],
    ['not[author_id]=3', []],
    ['search=needle', [1]],
    ['search=needle&in=title', []],
    ['milestone=None', [3, 2, 1]],
    ['milestone=Any', []],
    ['source_branch=two', [2]],
    ['target_branch=main&state=opened', [2, 1]],
    ['created_after=2000-01-01T00:00:00Z&updated_before=2999-01-01', [3, 2, 1]],
    ['scope=created_by_me', []],
    ['order_by=merged_at', [3, 2, 1]],
    ['with_merge_status_recheck=true', [3, 2, 1]],
  ])('%s', async (query, iids) => {
    expect(await list(query)).toEqual(iids);
  });

  test('by the reactions of the caller', async () => {
    const { body } = await api(people.reporter, 'GET', mr(project, 1));
    await harness.db.query(sql`
      insert into merge_request_reactions (merge_request_id, user_id, name, given, version)
      values (${body.id}, ${people.reporter.id}, 'star', true, 1), (${body.id}, ${people.owner.id}, 'tada', true, 2),
        (${body.id}, ${people.reporter.id}, 'eyes', false, 3)`);
    expect(await list('my_reaction_emoji=star')).toEqual([1]);
    expect(await list('my_reaction_emoji=aNY')).toEqual([1]);
    expect(await list('my_reaction_emoji=none')).toEqual([3, 2]);
    for (const other of ['tada', 'eyes', 'STAR']) expect(await list(`my_reaction_emoji=${other}`)).toEqual([]);
    expect(await list('not[my_reaction_emoji]=star')).toEqual([3, 2]);
    expect(await list('not[my_reaction_emoji]=None')).toEqual([1]);
    expect(await list('my_reaction_emoji=star', people.owner)).toEqual([]);
  });

  test('scopes are those of the caller', async () => {
    expect(await list('scope=created-by-me', people.developer)).toEqual([3, 2, 1]);
    expect(await list('scope=assigned_to_me', people.maintainer)).toEqual([1]);
    expect(await list('scope=reviews_for_me', people.owner)).toEqual([2]);
    const mine = await api(people.owner, 'GET', '/merge_requests?scope=reviews_for_me&state=opened');
    expect(mine.body).toContainEqual(
      expect.objectContaining({
        iid: 2,
        reference: `${project.path}!2`,
        references: expect.objectContaining({ short: '!2' }),
      }),
    );
    expect((await api(undefined, 'GET', '/merge_requests')).status).toBe(401);
    expect(await api(undefined, 'GET', '/merge_requests?scope=all')).toMatchObject({ status: 200, body: [] });
  });

  test('short and detailed forms, pages both ways', async () => {
    const simple = await api(people.reporter, 'GET', at(project, '/merge_requests?view=simple&iids[]=1'));
    expect(Object.keys(simple.body[0]).sort()).toEqual(
      ['created_at', 'description', 'id', 'iid', 'project_id', 'state', 'title', 'updated_at', 'web_url'].sort(),
    );
    const detailed = await api(
      people.reporter,
      'GET',
      at(project, '/merge_requests?with_labels_details=true&iids[]=2'),
    );
    expect(detailed.body[0].labels).toMatchObject([{ name: 'list-a', color: '#6699cc', description: 'A label' }]);
    const first = await api(people.reporter, 'GET', at(project, '/merge_requests?per_page=2'));
    expect([first.headers.get('x-total'), first.headers.get('x-next-page')]).toEqual(['3', '2']);
    const keyset = await api(people.reporter, 'GET', at(project, '/merge_requests?pagination=keyset&per_page=2'));
    expect(keyset.body.map((row: Body) => row.iid)).toEqual([3, 2]);
    expect(keyset.headers.get('link')).toContain('rel="next"');
  });

  test('what cannot be is refused with every problem', async () => {
    const refused = await api(
      people.reporter,
      'GET',
      at(project, '/merge_requests?state=odd&author_id=x&wip=maybe&reviewer_id=1&reviewer_username=a'),
    );
    expect(refused).toMatchObject({
      status: 400,
      body: {
        error:
          'state does not have a valid value, author_id is invalid, wip does not have a valid value, reviewer_id, reviewer_username are mutually exclusive',
      },
    });
    await harness.db.query(sql`update directory.projects set merge_requests_enabled = false where id = ${project.id}`);
    expect((await api(people.reporter, 'GET', at(project, '/merge_requests'))).status).toBe(403);
    await harness.db.query(sql`update directory.projects set merge_requests_enabled = true where id = ${project.id}`);
  });
});

test('nothing is assigned to deleted users', async () => {
  const gone = 70;
  await harness.db.query(sql`
    insert into directory.users (id, username, name, state, admin, external, bot)
    values (${gone}, 'gone', 'Gone', 'active', false, false, false), (71, 'ghost', 'Ghost User', 'active', false, false, true)`);
  await harness.db.query(sql`
    insert into directory.memberships (id, user_id, namespace_id, access_level) values (70, ${gone}, 1, 30)`);
  const project = await newProject();
  for (const branch of ['alone', 'both']) {
    await commit(project, branch, { [`${branch}.txt`]: branch }, { start: 'main' });
    await open(project, branch, { assignee_ids: [gone], reviewer_ids: [gone] });
  }
  for (const table of [sql`merge_request_assignees`, sql`merge_request_reviewers`]) {
    await harness.db.query(sql`
      insert into ${table} (merge_request_id, user_id) select id, ${people.owner.id} from merge_requests
      where project_id = ${project.id} and iid = 2`);
  }
  const names = (users: Body[]) => users.map(({ username }) => username);
  const listed = async (query = ''): Promise<Body[]> => {
    const reply = await api(people.reporter, 'GET', at(project, `/merge_requests?${query}`));
    return reply.body.map((row: Body) => [row.iid, names(row.assignees), names(row.reviewers)]);
  };
  const reviewers = async () =>
    names((await api(people.reporter, 'GET', mr(project, 2, '/reviewers'))).body.map(({ user }: Body) => user));
  const matching = async (...queries: string[]) => Promise.all(queries.map(listed));
  const alone = [1, [], []];
  const both = [2, ['user1'], ['user1']];
  expect(await listed()).toEqual([
    [2, ['gone', 'user1'], ['gone', 'user1']],
    [1, ['gone'], ['gone']],
  ]);

  await harness.db.query(sql`update directory.users set deleted_at = now(), ghost_id = 71 where id = ${gone}`);
  expect(await listed()).toEqual([both, alone]);
  expect((await api(people.reporter, 'GET', mr(project, 1))).body).toMatchObject({
    assignee: null,
    assignees: [],
    reviewers: [],
  });
  expect(await reviewers()).toEqual(['user1']);
  const nobodys = ['assignee_username[]=gone', 'reviewer_username=gone', 'assignee_username[]=ghost'];
  expect(await matching(...nobodys)).toEqual([[], [], []]);

  await purgePeople(orphanStore(harness.db))();
  expect(await matching('assignee_id=None', 'reviewer_id=None')).toEqual([[alone], [alone]]);
  expect(await matching('assignee_id=Any', 'reviewer_id=Any')).toEqual([[both], [both]]);
  expect(await matching(`assignee_id=${gone}`, `reviewer_id=${gone}`)).toEqual([[], []]);
  expect(await listed()).toEqual([both, alone]);
});
