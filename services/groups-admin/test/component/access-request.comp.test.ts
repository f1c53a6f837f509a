import { sql } from '@switchyard/database/sql';
import { AccessRequestServiceService } from '@switchyard/protos/groups_admin/v1/access_request';
import type { GroupSettings } from '@switchyard/protos/groups_admin/v1/group';
import { ListUserMembershipsRequest_SourceType as SourceType } from '@switchyard/protos/groups_admin/v1/member';
import { namespaceRow } from '../support/directory-row';
import { groupClients, refusal } from '../support/group-clients';
import { bodyOf, pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let root: TestUser;
let ada: TestUser;
let bob: TestUser;
let eve: TestUser;
let group: number;
let subgroup: number;
let project: number;

beforeAll(async () => {
  running = await runGroups();
  root = await running.user('root', { admin: true });
});

afterAll(() => running.close());

const { groups, projects, members, newGroup, newProject, addMember } = groupClients(() => running);

type Target = { group: number } | { project: number };
const sourceOf = (target: Target) =>
  'group' in target ? { groupId: target.group, projectId: 0 } : { groupId: 0, projectId: target.project };
const requests = (user: TestUser | undefined) => running.as(user, AccessRequestServiceService);

const requestAccess = (user: TestUser | undefined, target: Target) =>
  shown('AccessRequest', requests(user).createAccessRequest({ source: sourceOf(target) }, target));
const approve = (by: TestUser, target: Target, user: TestUser, accessLevel = 30) =>
  shown(
    'Member',
    requests(by).approveAccessRequest({ source: sourceOf(target), userId: user.userId, accessLevel }, target),
  );
const end = (by: TestUser, target: Target, user: TestUser) =>
  requests(by).deleteAccessRequest({ source: sourceOf(target), userId: user.userId }, target);
const pending = async (target: Target, page = pageOf()): Promise<string[]> => {
  const reply = requests(ada).listAccessRequests({ source: sourceOf(target), page }, target);
  return (await shown('AccessRequest', reply)).map(({ username }: { username: string }) => username);
};
const set = (target: number, settings: Partial<GroupSettings>) =>
  groups(root).updateGroup({ groupId: target, settings, tier: undefined }, { group: target });
const levelsIn = async (target: Target) =>
  (
    await shown(
      'Member',
      members(ada).listMembers(
        { source: sourceOf(target), page: pageOf(), query: '', userIds: [], skipUserIds: [], inherited: false },
        target,
      ),
    )
  ).map((member: { username: string; access_level: number }) => [member.username, member.access_level]);

/** What was published of the requests of a user, without the times. */
const factsOf = async (user: TestUser) => {
  const rows = await running.db.query<{ event_id: string; body: Record<string, unknown> }>(
    sql`select event_id, body from events.outbox where type = 'access_request.changed' and body ->> 'userId' = ${String(user.userId)} order by id`,
  );
  return rows.map(({ body: { requestId, occurredAt, directorySequence, userId, ...fact } }) => fact);
};

let round = 0;
beforeEach(async () => {
  round += 1;
  ada = await running.user(`ada${round}`);
  bob = await running.user(`bob${round}`);
  eve = await running.user(`eve${round}`);
  await running.db.query(sql`update users set confirmed_at = now()`);
  group = (await newGroup(ada, `team${round}`, { visibility: 'public' })).id;
  subgroup = (await newGroup(ada, 'sub', { parentId: group, visibility: 'public' })).id;
  project = (await newProject(ada, subgroup, 'code', { visibility: 'public' })).id;
});

test('a user requests access, is listed, and is approved with the level of the approval', async () => {
  for (const [target, level] of [
    [{ project }, 40],
    [{ group }, 30],
  ] as const) {
    expect(await requestAccess(bob, target)).toMatchObject({ id: bob.userId, username: bob.username });
    expect(await pending(target)).toEqual([bob.username]);
    expect(await refusal(approve(ada, target, eve))).toEqual({ kind: 'not_found', message: '404 Not found' });
    expect(await approve(ada, target, bob, level)).toMatchObject({ access_level: level, expires_at: null });
    expect(await pending(target)).toEqual([]);
    expect(await levelsIn(target)).toContainEqual([bob.username, level]);
    expect(await refusal(approve(ada, target, bob))).toMatchObject({ kind: 'not_found' });
  }
  const [inProject, inGroup] = [{ projectId: project }, { groupId: group }];
  expect(await factsOf(bob)).toEqual([
    { ...inProject, actorId: bob.userId, requested: {} },
    { ...inProject, actorId: ada.userId, approved: { accessLevel: 40 } },
    { ...inGroup, actorId: bob.userId, requested: {} },
    { ...inGroup, actorId: ada.userId, approved: { accessLevel: 30 } },
  ]);
});

test('members, users who wait, and users who do not see the place cannot request access', async () => {
  await addMember(ada, { group }, eve, 10);
  for (const target of [{ group }, { group: subgroup }, { project }]) {
    expect(await refusal(requestAccess(eve, target))).toMatchObject({ kind: 'forbidden' });
    expect(await refusal(requestAccess(root, target))).toMatchObject({ kind: 'forbidden' });
  }
  expect(await refusal(requestAccess(undefined, { group }))).toMatchObject({ kind: 'unauthorized' });
  await requestAccess(bob, { group });
  expect(await refusal(requestAccess(bob, { group }))).toEqual({
    kind: 'invalid',
    message: { user_id: ['already exists in source'] },
  });
  // A subgroup is another place.
  await requestAccess(bob, { group: subgroup });
  const both = await Promise.allSettled([requestAccess(bob, { project }), requestAccess(bob, { project })]);
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  // Seen only because of a project in it: its members are not for that user to join.
  const hidden = (await newGroup(ada, `hidden${round}`, { visibility: 'private' })).id;
  const inside = (await newProject(ada, hidden, 'inside', { visibility: 'private' })).id;
  await addMember(ada, { project: inside }, bob, 30);
  expect(await refusal(requestAccess(bob, { group: hidden }))).toMatchObject({ kind: 'forbidden' });
});

test('a group or project that takes no requests refuses them', async () => {
  await set(group, { requestAccessEnabled: false });
  expect(await refusal(requestAccess(bob, { group }))).toEqual({ kind: 'forbidden', message: '403 Forbidden' });
  // Each group and project has a setting of its own.
  await requestAccess(bob, { group: subgroup });
  await projects(ada).updateProject(
    { projectId: project, settings: { requestAccessEnabled: false, featureAccessLevels: {} } },
    { project },
  );
  expect(await refusal(requestAccess(bob, { project }))).toMatchObject({ kind: 'forbidden' });
  await set(group, { requestAccessEnabled: true });
  await requestAccess(bob, { group });
});

test('users withdraw, those who may approve deny, others do neither', async () => {
  await addMember(ada, { project }, eve, 40);
  await requestAccess(bob, { project });
  const zoe = await running.user(`zoe${round}`);
  expect(await refusal(end(zoe, { project }, bob))).toMatchObject({ kind: 'forbidden' });
  expect((await end(bob, { project }, bob)).status).toBe(204);
  expect(await refusal(end(bob, { project }, bob))).toMatchObject({ kind: 'not_found' });
  await requestAccess(bob, { project });
  expect((await end(eve, { project }, bob)).status).toBe(204);
  expect(await refusal(end(eve, { project }, bob))).toMatchObject({ kind: 'not_found' });
  // A Maintainer approves no Owner.
  await requestAccess(bob, { project });
  expect(await refusal(approve(eve, { project }, bob, 50))).toMatchObject({ kind: 'forbidden' });
  expect(await approve(eve, { project }, bob, 40)).toMatchObject({ access_level: 40 });
  expect((await factsOf(bob)).map((fact) => Object.keys(fact).at(-1))).toEqual([
    'requested',
    'withdrawn',
    'requested',
    'denied',
    'requested',
    'approved',
  ]);
});

test('a request ends when its user becomes a member otherwise, there and below', async () => {
  for (const target of [{ group }, { group: subgroup }, { project }]) await requestAccess(bob, target);
  await requestAccess(eve, { project });
  await addMember(ada, { group: subgroup }, bob, 20);
  expect(await pending({ group })).toEqual([bob.username]);
  expect(await pending({ group: subgroup })).toEqual([]);
  expect(await pending({ project })).toEqual([eve.username]);
  expect((await factsOf(bob)).slice(3)).toEqual(
    expect.arrayContaining([
      { actorId: ada.userId, groupId: subgroup, approved: { accessLevel: 20 } },
      { actorId: ada.userId, projectId: project, lapsed: { reason: 'REASON_BECAME_MEMBER' } },
    ]),
  );
  // A level below the inherited one is refused, and the request stays.
  await addMember(ada, { group }, eve, 20);
  expect(await pending({ project })).toEqual([]);
});

test('a refused approval leaves the request', async () => {
  await requestAccess(bob, { project });
  await running.db.query(sql`
    insert into memberships (user_id, namespace_id, access_level) values (${bob.userId}, ${group}, 40)`);
  expect(await refusal(approve(ada, { project }, bob, 30))).toEqual({
    kind: 'invalid',
    message: { access_level: ['should be greater than or equal to Maintainer inherited membership'] },
  });
  expect(await pending({ project })).toEqual([bob.username]);
  expect(await levelsIn({ project })).toEqual([]);
});

test('requests go with their group or project', async () => {
  await requestAccess(bob, { group: subgroup });
  await requestAccess(bob, { project });
  await groups(ada).deleteGroup(
    { groupId: group, permanentlyRemove: false, fullPath: '', ifUnmodifiedSince: undefined },
    { group },
  );
  await running.purge();
  expect(await running.db.query(sql`select 1 from access_requests where user_id = ${bob.userId}`)).toEqual([]);
  expect((await factsOf(bob)).slice(2)).toEqual([
    { projectId: project, lapsed: { reason: 'REASON_PARENT_DELETED' } },
    { groupId: subgroup, lapsed: { reason: 'REASON_PARENT_DELETED' } },
  ]);
});

test('the list is paged by offset and keyset', async () => {
  for (const user of [bob, eve]) await requestAccess(user, { group });
  expect(await pending({ group }, pageOf({ perPage: 1, page: 2 }))).toEqual([eve.username]);
  const source = sourceOf({ group });
  const first = await requests(ada).listAccessRequests(
    { source, page: pageOf({ keyset: true, perPage: 1 }) },
    { group },
  );
  expect(bodyOf(first)).toMatchObject([{ username: bob.username }]);
  const cursor = first.page?.nextCursor ?? '';
  expect(await pending({ group }, pageOf({ keyset: true, perPage: 1, cursor }))).toEqual([eve.username]);
});

test('membership_lock: no one joins a project of the group or below, and everyone the groups', async () => {
  await requestAccess(bob, { project });
  await set(group, { membershipLock: true });
  const notAllowed = { kind: 'not_allowed', message: '405 Method Not Allowed' };
  expect(await refusal(addMember(ada, { project }, eve, 30))).toEqual(notAllowed);
  expect(await refusal(addMember(root, { project }, eve, 30))).toEqual(notAllowed);
  expect(await refusal(approve(ada, { project }, bob))).toEqual(notAllowed);
  expect(await refusal(requestAccess(eve, { project }))).toMatchObject({ kind: 'forbidden' });
  expect(await levelsIn({ project })).toEqual([]);
  expect(await addMember(ada, { group: subgroup }, eve, 30)).toMatchObject({ access_level: 30 });
  await set(group, { membershipLock: false });
  expect(await approve(ada, { project }, bob)).toMatchObject({ access_level: 30 });
});

test('a free group has no lock and no list of domains', async () => {
  await groups(root).updateGroup(
    { groupId: group, settings: { membershipLock: true, allowedEmailDomainsList: 'other.example' }, tier: undefined },
    { group },
  );
  expect(await refusal(addMember(ada, { project }, bob, 30))).toMatchObject({ kind: 'not_allowed' });
  await groups(root).updateGroup({ groupId: group, settings: {}, tier: 'free' }, { group });
  expect(await addMember(ada, { project }, bob, 30)).toMatchObject({ access_level: 30 });
  await set(group, { membershipLock: false, allowedEmailDomainsList: '' });
  await groups(root).updateGroup({ groupId: group, settings: {}, tier: 'premium' }, { group });
  // What the free tier does not have was ignored, not stored.
  expect(await refusal(addMember(ada, { project }, eve, 30))).toMatchObject({ kind: 'not_allowed' });
});

test('allowed_email_domains_list: only confirmed e-mails of these domains become members, anywhere below', async () => {
  await requestAccess(eve, { project });
  await set(group, { allowedEmailDomainsList: 'other.example, third.example' });
  const refused = {
    kind: 'invalid',
    message: { user: ['email does not match the allowed domains: other.example, third.example'] },
  };
  for (const target of [{ group }, { group: subgroup }, { project }])
    expect(await refusal(addMember(ada, target, bob, 30))).toEqual(refused);
  expect(await refusal(requestAccess(bob, { project }))).toEqual(refused);
  expect(await refusal(approve(ada, { project }, eve))).toEqual(refused);
  await running.db.query(
    sql`update users set email = 'Bob@OTHER.example', confirmed_at = null where id = ${bob.userId}`,
  );
  expect(await refusal(addMember(ada, { project }, bob, 30))).toEqual({
    kind: 'invalid',
    message: { user: ['email is not a verified email.'] },
  });
  await running.db.query(sql`update users set confirmed_at = now() where id = ${bob.userId}`);
  expect(await addMember(ada, { project }, bob, 30)).toMatchObject({ access_level: 30 });
  // A bot has no e-mail of its own.
  await running.db.query(sql`update users set user_type = 'service_account' where id = ${eve.userId}`);
  expect(await approve(ada, { project }, eve)).toMatchObject({ access_level: 30 });
});

test('the list of domains belongs to top-level groups, and is checked', async () => {
  const changed = async (target: number, allowedEmailDomainsList: string) =>
    (await shown('Group', set(target, { allowedEmailDomainsList }))).allowed_email_domains_list;
  expect(await changed(group, 'B.example , a.example')).toBe('b.example,a.example');
  expect(await refusal(changed(subgroup, 'a.example'))).toEqual({
    kind: 'invalid',
    message: { allowed_email_domains_list: ['only permitted for top-level groups'] },
  });
  expect(await refusal(changed(group, 'a.example\nb.example'))).toEqual({
    kind: 'invalid',
    message: { allowed_email_domains_list: ['The domain you entered is misformatted.'] },
  });
  expect(await refusal(changed(group, 'a.example,'.repeat(100_000)))).toMatchObject({ kind: 'invalid' });
  const nested = { name: 'n', path: 'n', allowedEmailDomainsList: 'a.example' };
  expect(await refusal(groups(ada).createGroup({ parentId: group, settings: nested }))).toMatchObject({
    message: expect.stringContaining('allowed_email_domains_list'),
  });
  expect(await changed(group, '')).toBeNull();
});

test('mentions_disabled reaches the directory, for the group itself alone', async () => {
  const inDirectory = async (id: number) => (await namespaceRow(running.db, id))?.mentionsDisabled;
  expect(await inDirectory(group)).toBe(false);
  expect(await shown('Group', set(group, { mentionsDisabled: true }))).toMatchObject({ mentions_disabled: true });
  expect([await inDirectory(group), await inDirectory(subgroup)]).toEqual([true, false]);
  await set(group, { mentionsDisabled: false });
  expect(await inDirectory(group)).toBe(false);
});

test('memberships of a user, for administrators', async () => {
  await addMember(ada, { group }, bob, 20);
  await addMember(ada, { project }, bob, 40);
  await running.db.query(sql`
    insert into memberships (user_id, namespace_id, access_level, expires_at)
    values (${bob.userId}, ${subgroup}, 40, now() - interval '1 minute')`);
  const of = (user: { userId: number }, type: SourceType, page = pageOf()) =>
    members(root).listUserMemberships({ userId: user.userId, type, page });
  const inGroup = { source_id: group, source_name: `team${round}`, source_type: 'Namespace', access_level: 20 };
  const inProject = { source_id: project, source_name: 'code', source_type: 'Project', access_level: 40 };
  expect(await shown('UserMembership', of(bob, SourceType.SOURCE_TYPE_UNSPECIFIED))).toEqual([inGroup, inProject]);
  expect(bodyOf(await of(bob, SourceType.SOURCE_TYPE_PROJECT))).toEqual([inProject]);
  expect(bodyOf(await of(bob, SourceType.SOURCE_TYPE_NAMESPACE))).toEqual([inGroup]);
  const first = await of(bob, SourceType.SOURCE_TYPE_UNSPECIFIED, pageOf({ keyset: true, perPage: 1 }));
  const next = pageOf({ keyset: true, perPage: 1, cursor: first.page?.nextCursor ?? '' });
  expect(bodyOf(await of(bob, SourceType.SOURCE_TYPE_UNSPECIFIED, next))).toEqual([inProject]);
  expect(await refusal(of({ userId: 999_999 }, SourceType.SOURCE_TYPE_UNSPECIFIED))).toEqual({
    kind: 'not_found',
    message: '404 User Not Found',
  });
  await groups(ada).deleteGroup(
    { groupId: group, permanentlyRemove: false, fullPath: '', ifUnmodifiedSince: undefined },
    { group },
  );
  expect(bodyOf(await of(bob, SourceType.SOURCE_TYPE_UNSPECIFIED))).toEqual([]);
});
