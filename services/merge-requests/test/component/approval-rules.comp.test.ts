import { sql } from '@switchyard/database/sql';
import { purgePeople } from '../../src/merge-requests/application/purge-people';
import { orphanStore } from '../../src/merge-requests/storage/merge-request-people.store';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, type Person, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { addMembers, api, checked, commit, configure, newProject, open } = mergeRequestSteps(() => harness);

const group = 50;
const hidden = 51;

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
  await harness.db.query(
    sql`insert into directory.instance (id, tier) values (1, 'ultimate') on conflict (id) do update set tier = 'ultimate'`,
  );
  await harness.db.query(sql`
    insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
    values (${group}, 'group', 'Security', 'security', 'security', 'Security', '{50}', 'public', false),
      (${hidden}, 'group', 'Hidden', 'hidden', 'hidden', 'Hidden', '{51}', 'private', false)`);
  await harness.db.query(sql`
    insert into directory.memberships (id, user_id, namespace_id, access_level) values (20, ${people.owner.id}, ${group}, 30),
      (21, ${people.outsider.id}, ${group}, 50), (22, ${people.owner.id}, ${hidden}, 50)`);
});
afterAll(() => harness?.close());

let branches = 0;
async function opened(project: TestProject, target = 'main') {
  branches += 1;
  const source = `feature-${branches}`;
  await commit(project, source, { [`${source}.txt`]: 'one\n' }, { start: 'main' });
  const { iid, id } = await open(project, source, { target_branch: target });
  await checked(project, iid);
  return { iid, id };
}

const ruleOf = async (
  project: TestProject,
  body: object,
  iid?: number,
  by: Person = people.maintainer,
): Promise<Body> => {
  const path = iid === undefined ? at(project, '/approval_rules') : mr(project, iid, '/approval_rules');
  const reply = await api(by, 'POST', path, body);
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`);
  return reply.body;
};
const refused = (project: TestProject, body: object, iid?: number, by: Person = people.maintainer) =>
  api(by, 'POST', iid === undefined ? at(project, '/approval_rules') : mr(project, iid, '/approval_rules'), body);
const statusOf = async (project: TestProject, iid: number): Promise<string> =>
  (await api(people.reporter, 'GET', mr(project, iid))).body.detailed_merge_status;
const approve = (project: TestProject, iid: number, by: Person) => api(by, 'POST', mr(project, iid, '/approve'), {});
const state = async (project: TestProject, iid: number): Promise<Body> =>
  (await api(people.reporter, 'GET', mr(project, iid, '/approval_state'))).body;

describe('rules of a project', () => {
  test('are made, read, changed and removed', async () => {
    const project = await newProject();
    const rule = await ruleOf(project, {
      name: 'Security',
      approvals_required: 2,
      user_ids: [people.maintainer.id, people.reporter.id],
      usernames: 'user3',
      group_ids: [group],
    });
    expect(rule).toMatchObject({
      name: 'Security',
      rule_type: 'regular',
      approvals_required: 2,
      users: [{ id: 2 }, { id: 3 }, { id: 4 }],
      groups: [{ id: group, full_path: 'security' }],
      // Reporters cannot approve, nor can members of the group who are none of the project.
      eligible_approvers: [{ id: 1 }, { id: 2 }, { id: 3 }],
      contains_hidden_groups: false,
      applies_to_all_protected_branches: false,
      protected_branches: [],
    });
    const path = at(project, `/approval_rules/${rule.id}`);
    expect((await api(people.reporter, 'GET', path)).body).toEqual(rule);
    const second = await ruleOf(project, { name: 'Any', approvals_required: 0, rule_type: 'any_approver' });
    expect((await api(people.reporter, 'GET', at(project, '/approval_rules'))).body).toMatchObject([
      { id: rule.id },
      { id: second.id },
    ]);
    const changed = await api(people.maintainer, 'PUT', path, { name: 'Other', user_ids: [people.owner.id] });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'Other', approvals_required: 2, users: [{ id: 1 }], groups: [{ id: group }] },
    });
    expect((await api(people.maintainer, 'PUT', path, { approvals_required: 1, group_ids: '' })).body).toMatchObject({
      approvals_required: 1,
      users: [{ id: 1 }],
      groups: [],
    });
    expect((await api(people.developer, 'DELETE', path)).status).toBe(403);
    expect((await api(people.maintainer, 'DELETE', path)).status).toBe(204);
    expect((await api(people.reporter, 'GET', path)).status).toBe(404);
    expect((await api(people.maintainer, 'PUT', path, { name: 'x' })).status).toBe(404);
    expect((await api(people.maintainer, 'DELETE', path)).status).toBe(404);
  });

  test('are refused with everything that is wrong with them', async () => {
    const project = await newProject();
    const wrong = await refused(project, {
      name: 'x'.repeat(256),
      approvals_required: 101,
      user_ids: [people.outsider.id, 999],
      usernames: 'nobody',
      group_ids: [hidden, 998],
      protected_branch_ids: [997],
    });
    expect(wrong).toMatchObject({
      status: 400,
      body: {
        message: {
          name: ['is too long (maximum is 255 characters)'],
          approvals_required: ['must be less than or equal to 100'],
          users: ['must all be able to read the merge requests of the project'],
          groups: ['must all exist'],
          protected_branches: ['must all exist within the same project'],
        },
      },
    });
    expect((await refused(project, { name: 'x', approvals_required: 1, rule_type: 'code_owner' })).status).toBe(400);
    expect((await refused(project, { approvals_required: 1 })).status).toBe(400);
    expect(
      (await refused(project, { name: 'x', approvals_required: 1, rule_type: 'any_approver', user_ids: [2] })).body,
    ).toEqual({ message: { users: ["can't be named by a rule for any approver"] } });
    await ruleOf(project, { name: 'x', approvals_required: 1 });
    expect((await refused(project, { name: 'x', approvals_required: 1 })).body).toEqual({
      message: { name: ['has already been taken'] },
    });
    await ruleOf(project, { name: 'any', approvals_required: 1, rule_type: 'any_approver' });
    expect(
      (await refused(project, { name: 'any two', approvals_required: 1, rule_type: 'any_approver' })).body,
    ).toEqual({
      message: { rule_type: ['any-approver rule already exists'] },
    });
    expect((await refused(project, { name: 'y', approvals_required: 1 }, undefined, people.developer)).status).toBe(
      403,
    );
  });

  test('keep groups that the caller does not see, unless they are to go', async () => {
    const project = await newProject();
    const rule = await ruleOf(
      project,
      { name: 'g', approvals_required: 1, group_ids: [group, hidden] },
      undefined,
      people.owner,
    );
    const path = at(project, `/approval_rules/${rule.id}`);
    expect((await api(people.reporter, 'GET', path)).body).toMatchObject({
      groups: [{ id: group }],
      contains_hidden_groups: true,
    });
    await api(people.maintainer, 'PUT', path, { group_ids: '' });
    expect((await api(people.owner, 'GET', path)).body.groups).toMatchObject([{ id: hidden }]);
    await api(people.maintainer, 'PUT', path, { remove_hidden_groups: true });
    expect((await api(people.owner, 'GET', path)).body.groups).toEqual([]);
  });

  test('are in force for merge requests, by users, groups and branches', async () => {
    const project = await newProject();
    const { iid } = await opened(project);
    const named = await ruleOf(project, { name: 'named', approvals_required: 1, user_ids: [people.maintainer.id] });
    const grouped = await ruleOf(project, { name: 'grouped', approvals_required: 1, group_ids: [group] });
    await harness.db.query(sql`
      insert into protected_branches (project_id, name) values (${project.id}, 'release/*')`);
    const [branch] = (await api(people.maintainer, 'GET', at(project, '/protected_branches'))).body.filter(
      ({ name }: { name: string }) => name === 'release/*',
    );
    const released = await ruleOf(project, {
      name: 'released',
      approvals_required: 5,
      protected_branch_ids: [branch.id],
    });
    expect(released.protected_branches).toMatchObject([{ id: branch.id, name: 'release/*' }]);
    expect(await statusOf(project, iid)).toBe('not_approved');
    expect((await api(people.maintainer, 'GET', mr(project, iid, '/approvals'))).body).toMatchObject({
      approvals_required: 2,
      approvals_left: 2,
      approval_rules_left: [{ id: named.id, name: 'named', rule_type: 'regular' }, { id: grouped.id }],
      suggested_approvers: [{ id: people.maintainer.id }],
      has_approval_rules: true,
    });
    await approve(project, iid, people.maintainer);
    expect(await statusOf(project, iid)).toBe('not_approved');
    expect(await state(project, iid)).toMatchObject({
      approval_rules_overwritten: false,
      rules: [
        { id: named.id, approved: true, approved_by: [{ id: 2 }], source_rule: null },
        { id: grouped.id, approved: false, approved_by: [], eligible_approvers: [{ id: 1 }] },
      ],
    });
    await approve(project, iid, people.owner);
    expect(await statusOf(project, iid)).toBe('mergeable');
    await configure(project, { approvals_before_merge: 3 });
    expect((await state(project, iid)).rules[0]).toMatchObject({ id: 0, rule_type: 'any_approver', approved: false });
    await configure(project, { approvals_before_merge: 0 });
    await ruleOf(project, { name: 'all protected', approvals_required: 4, applies_to_all_protected_branches: true });
    expect((await state(project, iid)).rules).toHaveLength(
      (await api(people.maintainer, 'GET', at(project, '/protected_branches'))).body.some(
        ({ name }: { name: string }) => name === 'main',
      )
        ? 3
        : 2,
    );
    await commit(project, 'release/1', { 'r.txt': 'r\n' }, { start: 'main' });
    const other = await opened(project, 'release/1');
    expect((await state(project, other.iid)).rules.map(({ name }: { name: string }) => name)).toEqual([
      'named',
      'grouped',
      'released',
      'all protected',
    ]);
  });
});

describe('a group that is shared with others (G-4.2-8)', () => {
  const shared = 60;
  const rows = [
    { share: 60, group: 61, user: people.developer.id, given: 30, level: 30, expires: null },
    { share: 61, group: 62, user: people.maintainer.id, given: 20, level: 30, expires: null },
    { share: 62, group: 63, user: people.owner.id, given: 30, level: 30, expires: new Date(0) },
  ];

  beforeAll(async () => {
    for (const id of [shared, ...rows.map((row) => row.group)])
      await harness.db.query(sql`
        insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
        values (${id}, 'group', ${`G${id}`}, ${`g${id}`}, ${`g${id}`}, ${`G${id}`}, ${[id]}::bigint[], 'public', false)`);
    for (const { share, group: invited, user, given, level, expires } of rows) {
      await harness.db.query(sql`
        insert into directory.memberships (id, user_id, namespace_id, access_level) values (${share}, ${user}, ${invited}, ${level})`);
      await harness.db.query(sql`
        insert into directory.shares (id, namespace_id, group_id, access_level, expires_at)
        values (${share}, ${shared}, ${invited}, ${given}, ${expires})`);
    }
  });

  test('counts their members by shares of Developer or more that have not expired', async () => {
    const project = await newProject();
    const { iid } = await opened(project);
    const rule = await ruleOf(project, { name: 'shared', approvals_required: 1, group_ids: [shared] });
    expect(rule.eligible_approvers).toMatchObject([{ id: people.developer.id }]);
    for (const by of [people.maintainer, people.owner]) await approve(project, iid, by);
    expect((await state(project, iid)).rules).toMatchObject([{ id: rule.id, approved: false, approved_by: [] }]);
    expect(await statusOf(project, iid)).toBe('not_approved');
  });

  test('is approved for by one of them', async () => {
    const project = await newProject();
    await configure(project, { merge_requests_author_approval: true });
    const { iid } = await opened(project);
    const rule = await ruleOf(project, { name: 'shared', approvals_required: 1, group_ids: [shared] });
    await approve(project, iid, people.developer);
    expect((await state(project, iid)).rules).toMatchObject([
      { id: rule.id, approved: true, approved_by: [{ id: people.developer.id }] },
    ]);
    expect(await statusOf(project, iid)).toBe('mergeable');
  });
});

/** Users of whom it was published that their approval is demanded, event by event. */
const demanded = async (mergeRequestId: number): Promise<number[][]> => {
  const rows = await harness.db.query<{ body: Body }>(
    sql`select body from events.outbox where type = 'merge_request.changed' order by id`,
  );
  return rows.flatMap(({ body }) =>
    Number(body.mergeRequest.id) === mergeRequestId && body.approvalRequested !== undefined
      ? [body.approvalRequested.userIds.map(Number)]
      : [],
  );
};

test('users whom rules name are told once that their approval is demanded', async () => {
  const project = await newProject();
  const { owner, maintainer, developer } = people;
  await ruleOf(project, { name: 'named', approvals_required: 1, user_ids: [owner.id, developer.id] });
  await ruleOf(project, { name: 'optional', approvals_required: 0, user_ids: [maintainer.id] });
  const { iid, id } = await opened(project);
  expect(await demanded(id)).toEqual([[owner.id]]);
  const own = await ruleOf(project, { name: 'own', approvals_required: 1, user_ids: [maintainer.id] }, iid);
  const path = mr(project, iid, `/approval_rules/${own.id}`);
  await api(maintainer, 'PUT', path, { name: 'renamed' });
  await api(maintainer, 'PUT', path, { user_ids: [maintainer.id, owner.id] });
  expect(await demanded(id)).toEqual([[owner.id], [maintainer.id], [owner.id]]);
});

test('users who are deleted are named by no rule any more', async () => {
  const gone = 72;
  await harness.db.query(sql`
    insert into directory.users (id, username, name, state, admin, external, bot)
    values (${gone}, 'gone', 'Gone', 'active', false, false, false)`);
  const project = await newProject();
  await harness.db.query(sql`
    insert into directory.memberships (id, user_id, project_id, access_level) values (72, ${gone}, ${project.id}, 30)`);
  const rule = await ruleOf(project, { name: 'named', approvals_required: 1, user_ids: [gone, people.owner.id] });
  expect(rule.users).toMatchObject([{ id: people.owner.id }, { id: gone }]);
  await harness.db.query(sql`update directory.users set deleted_at = now(), ghost_id = 71 where id = ${gone}`);
  const named = () =>
    harness.db.query<{ user_id: number }>(
      sql`select user_id from approval_rule_users where rule_id = ${rule.id} order by user_id`,
    );
  expect(await named()).toHaveLength(2);
  await purgePeople(orphanStore(harness.db))();
  expect(await named()).toEqual([{ user_id: people.owner.id }]);
  expect((await api(people.reporter, 'GET', at(project, `/approval_rules/${rule.id}`))).body.users).toMatchObject([
    { id: people.owner.id },
  ]);
});

describe('rules of a merge request', () => {
  test('are never those of the project, whatever number is given for the merge request', async () => {
    const project = await newProject();
    const rule = await ruleOf(project, { name: 'kept', approvals_required: 1, user_ids: [people.owner.id] });
    const path = mr(project, 0, '/approval_rules');
    const one = `${path}/${rule.id}`;
    for (const [method, where, body] of [
      ['POST', path, { name: 'made', approvals_required: 0 }],
      ['PUT', one, { approvals_required: 0 }],
      ['DELETE', one, undefined],
      ['GET', one, undefined],
    ] as const)
      expect((await api(people.developer, method, where, body)).status).toBe(400);
    expect((await api(people.maintainer, 'GET', at(project, '/approval_rules'))).body).toEqual([rule]);
  });

  test('stand in place of those of its project, where it may have some', async () => {
    const project = await newProject();
    const { iid } = await opened(project);
    const source = await ruleOf(project, { name: 'named', approvals_required: 1, user_ids: [people.owner.id] });
    const body = { name: 'own', approvals_required: 2, approval_project_rule_id: source.id };
    expect((await refused(project, { ...body, approvals_required: 0 }, iid)).body).toEqual({
      message: { approvals_required: ['must be greater than or equal to 1'] },
    });
    expect((await refused(project, { ...body, approval_project_rule_id: 99_999 }, iid)).status).toBe(404);
    const own = await ruleOf(project, body, iid, people.developer);
    expect(own).toMatchObject({ users: [{ id: 1 }], source_rule: { approvals_required: 1 }, overridden: true });
    expect(await state(project, iid)).toMatchObject({
      approval_rules_overwritten: true,
      rules: [{ id: own.id, approvals_required: 2 }],
    });
    const path = mr(project, iid, `/approval_rules/${own.id}`);
    expect((await api(people.developer, 'PUT', path, { approvals_required: 0 })).status).toBe(400);
    expect((await api(people.developer, 'PUT', path, { approvals_required: 1 })).body).toMatchObject({
      approvals_required: 1,
      overridden: false,
    });
    expect((await api(people.reporter, 'GET', path)).body).toMatchObject({ id: own.id });
    expect((await api(people.reporter, 'GET', mr(project, iid, '/approval_rules'))).body).toMatchObject([
      { id: own.id },
    ]);
    expect((await api(people.reporter, 'GET', at(project, `/approval_rules/${own.id}`))).status).toBe(404);
    await configure(project, { disable_overriding_approvers_per_merge_request: true });
    expect((await refused(project, { name: 'more', approvals_required: 1 }, iid)).status).toBe(403);
    expect((await api(people.developer, 'DELETE', path)).status).toBe(403);
    expect(await state(project, iid)).toMatchObject({ approval_rules_overwritten: false, rules: [{ id: source.id }] });
    await configure(project, { disable_overriding_approvers_per_merge_request: false });
    expect((await api(people.developer, 'DELETE', path)).status).toBe(204);
    expect(await state(project, iid)).toMatchObject({ approval_rules_overwritten: false, rules: [{ id: source.id }] });
    await api(people.developer, 'PUT', mr(project, iid), { state_event: 'close' });
    expect((await refused(project, { name: 'late', approvals_required: 1 }, iid)).status).toBe(403);
  });
});
