import { sql } from '@switchyard/database/sql';
import { GroupProjects } from '@switchyard/protos/groups_admin/v1/project';
import { groupClients, refusal } from '../support/group-clients';
import { allGroups, allProjects } from '../support/requests';
import { pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let root: TestUser;
/** Owner of the target, a member of the invited group. */
let ada: TestUser;
/** Owner of the invited group. */
let bob: TestUser;
let eve: TestUser;
let top: number;
let sub: number;
let project: number;
let invited: number;

beforeAll(async () => {
  running = await runGroups();
  root = await running.user('root', { admin: true });
});

afterAll(() => running.close());

const { groups, projects, members, shares, newGroup, newProject, addMember } = groupClients(() => running);

let round = 0;
beforeEach(async () => {
  round += 1;
  [ada, bob, eve] = [
    await running.user(`ada${round}`),
    await running.user(`bob${round}`),
    await running.user(`eve${round}`),
  ];
  top = (await newGroup(ada, `top${round}`)).id;
  sub = (await newGroup(ada, 'sub', { parentId: top })).id;
  project = (await newProject(ada, sub, 'code')).id;
  invited = (await newGroup(bob, `invited${round}`)).id;
  await addMember(bob, { group: invited }, ada, 10);
  await addMember(bob, { group: invited }, eve, 30);
});

type Target = { group: number } | { project: number };
const sourceOf = (target: Target) =>
  'group' in target ? { groupId: target.group, projectId: 0 } : { groupId: 0, projectId: target.project };
const share = (by: TestUser, target: Target, groupId: number, accessLevel: number, expiresAt = '') =>
  shown(
    'group' in target ? 'Group' : 'ProjectShare',
    shares(by).createShare({ source: sourceOf(target), groupId, accessLevel, expiresAt }, target),
  );
const unshare = (by: TestUser, target: Target, groupId: number, ifUnmodifiedSince?: Date) =>
  shares(by).deleteShare({ source: sourceOf(target), groupId, ifUnmodifiedSince }, target);
const group = (by: TestUser, id: number) =>
  shown('Group', groups(by).getGroup({ groupId: id, withProjects: true }, { group: id }));
const membersOf = async (target: Target) => {
  const request = {
    source: sourceOf(target),
    page: pageOf(),
    query: '',
    userIds: [],
    skipUserIds: [],
    inherited: true,
  };
  const found = await shown('Member', members(ada).listMembers(request));
  return Object.fromEntries(
    found.map((one: { username: string; access_level: number }) => [one.username, one.access_level]),
  );
};
const listedGroups = async (by: TestUser, given: Partial<typeof allGroups>): Promise<number[]> =>
  (await shown('GroupItem', groups(by).listGroups({ ...allGroups, page: pageOf({ orderBy: 'id' }), ...given }))).map(
    ({ id }: { id: number }) => id,
  );
const listedProjects = async (by: TestUser, given: Partial<typeof allProjects>): Promise<number[]> =>
  (
    await shown('ProjectItem', projects(by).listProjects({ ...allProjects, page: pageOf({ orderBy: 'id' }), ...given }))
  ).map(({ id }: { id: number }) => id);
const setting = (by: TestUser, id: number, settings: object) => groups(by).updateGroup({ groupId: id, settings });
const factsOf = (groupId: number) =>
  running.db.query<{ event_id: string; body: Record<string, unknown> }>(
    sql`select event_id, body from events.outbox where key = ${String(groupId)} and type = 'share.changed' order by id`,
  );
const today = () => new Date().toISOString().slice(0, 10);
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

test('the members of an invited group are members, at no more than the share, below as well (G-4.15-8)', async () => {
  const shared = await share(ada, { group: top }, invited, 20, tomorrow());
  expect(shared.shared_with_groups).toEqual([
    {
      group_id: invited,
      group_name: `invited${round}`,
      group_full_path: `invited${round}`,
      group_access_level: 20,
      expires_at: tomorrow(),
    },
  ]);
  const expected = { [ada.username]: 50, [bob.username]: 20, [eve.username]: 20 };
  for (const target of [{ group: top }, { group: sub }, { project }]) expect(await membersOf(target)).toEqual(expected);
  const one = { source: sourceOf({ project }), userId: eve.userId, inherited: true };
  expect(await shown('Member', members(ada).getMember(one))).toMatchObject({
    access_level: 20,
    expires_at: tomorrow(),
  });
  expect((await refusal(members(ada).getMember({ ...one, inherited: false }))).kind).toBe('not_found');
  expect((await group(eve, sub)).id).toBe(sub);
  expect(await listedProjects(eve, { membership: true })).toEqual([project]);
  expect(await listedProjects(eve, { minAccessLevel: 20 })).toEqual([project]);
  expect(await listedProjects(eve, { minAccessLevel: 30 })).toEqual([]);
  expect(await listedGroups(eve, { minAccessLevel: 20 })).toEqual([top, sub, invited]);
  await unshare(ada, { group: top }, invited);
  expect(await membersOf({ project })).toEqual({ [ada.username]: 50 });
  expect(await listedProjects(eve, { membership: true })).toEqual([]);
  const events = await factsOf(invited);
  expect(events.map(({ event_id }) => event_id.split(':')[0])).toEqual(['share_created', 'share_removed']);
  expect(events[0]?.body).toMatchObject({ namespaceId: top, created: { accessLevel: 20 } });
  expect(events[1]?.body).toMatchObject({
    actorId: ada.userId,
    removed: { reason: 'REASON_REMOVED', directorySequence: expect.any(Number) },
  });
});

test('a project is shared, and the lists say with whom and what (G-4.15-1, G-4.15-4)', async () => {
  const made = await share(ada, { project }, invited, 30);
  expect(made).toMatchObject({ project_id: project, group_id: invited, group_access: 30, expires_at: null });
  const shown_ = await shown('Project', projects(ada).getProject({ projectId: project }, { project }));
  expect(shown_.shared_with_groups).toMatchObject([{ group_id: invited, group_access_level: 30 }]);
  const own = (await newProject(bob, invited, 'own')).id;
  const inGroup = { groupId: invited };
  expect(await listedProjects(eve, { ...inGroup, groupProjects: GroupProjects.GROUP_PROJECTS_WITH_SHARED })).toEqual([
    project,
    own,
  ]);
  expect(await listedProjects(eve, inGroup)).toEqual([own]);
  expect(await listedProjects(eve, { ...inGroup, groupProjects: GroupProjects.GROUP_PROJECTS_SHARED })).toEqual([
    project,
  ]);
  const seen = await group(eve, invited);
  expect([seen.projects, seen.shared_projects].map((list) => list.map(({ id }: { id: number }) => id))).toEqual([
    [own],
    [project],
  ]);
  const other = (await newGroup(ada, `other${round}`, { visibility: 'public' })).id;
  await share(ada, { group: top }, other, 10);
  await share(ada, { group: sub }, invited, 10);
  const invitedTo = (target: Target, ways: object = {}) => ({
    invitedTo: { source: sourceOf(target), direct: true, inherited: true, ...ways },
  });
  expect(await listedGroups(ada, invitedTo({ project }))).toEqual([invited, other]);
  expect(await listedGroups(ada, invitedTo({ project }, { inherited: false }))).toEqual([invited]);
  expect(await listedGroups(ada, invitedTo({ group: sub }, { direct: false }))).toEqual([other]);
  expect(await listedGroups(ada, { ...invitedTo({ project }), search: 'other' })).toEqual([other]);
  expect(await listedGroups(ada, { ...invitedTo({ project }), minAccessLevel: 50 })).toEqual([other]);
  expect(await listedGroups(bob, { sharedWithGroupId: invited })).toEqual([sub]);
  expect(await listedGroups(bob, { sharedWithGroupId: invited, skipGroups: [sub] })).toEqual([]);
  // A viewer who does not see the invited group does not learn of it.
  const zoe = await running.user(`zoe${round}`);
  await addMember(ada, { group: top }, zoe, 10);
  expect((await group(zoe, sub)).shared_with_groups).toEqual([]);
  expect(await listedGroups(zoe, invitedTo({ project }))).toEqual([other]);
});

test('a share is refused with the status and text of clients', async () => {
  const target = { group: top };
  const refused = (call: Promise<unknown>) => refusal(call);
  await share(ada, target, invited, 30);
  expect(await refused(share(ada, target, invited, 20))).toEqual({
    kind: 'conflict',
    message: 'Shared group The group has already been shared with this group',
  });
  for (const id of [sub, top])
    expect((await refused(share(ada, { group: sub }, id, 20))).message).toBe(
      'Group cannot be shared with itself or one of its ancestors.',
    );
  expect(await refused(share(ada, { project }, top, 20))).toEqual({
    kind: 'conflict',
    message: 'Project cannot be shared with the group it is in or one of its ancestors.',
  });
  const hidden = (await newGroup(root, `hidden${round}`)).id;
  for (const id of [hidden, 999_999, bob.namespaceId])
    expect(await refused(share(ada, target, id, 20))).toEqual({ kind: 'not_found', message: '404 Group Not Found' });
  expect(await refused(share(ada, { project }, invited, 30, today()))).toMatchObject({
    kind: 'invalid',
    message: { expires_at: ['cannot be a date in the past'] },
  });
  await addMember(ada, { project }, eve, 40);
  expect((await refused(share(eve, { project }, invited, 50))).kind).toBe('forbidden');
  await share(ada, { project }, invited, 50);
  expect((await refused(unshare(eve, { project }, invited))).kind).toBe('forbidden');
  expect(await refused(unshare(ada, { group: sub }, invited))).toEqual({
    kind: 'not_found',
    message: '404 Group Link Not Found',
  });
  expect((await refused(unshare(ada, { project }, invited, new Date(0)))).kind).toBe('precondition_failed');
  expect(await listedGroups(ada, { sharedWithGroupId: invited })).toEqual([top]);
});

test('one of two concurrent shares of a pair is refused', async () => {
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => share(ada, { group: top }, invited, 30)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of outcomes) if (one.status === 'rejected') expect(one.reason).toMatchObject({ kind: 'conflict' });
});

test('a lock refuses new shares in the group and below, and a Guest stays one', async () => {
  await addMember(ada, { group: top }, eve, 10);
  await share(ada, { group: sub }, invited, 20);
  await setting(ada, top, { shareWithGroupLock: true });
  expect(await refusal(share(ada, { project }, invited, 50))).toEqual({
    kind: 'bad_request',
    message: '400 Bad request - The project sharing with group is disabled',
  });
  for (const id of [top, sub]) expect((await refusal(share(ada, { group: id }, invited, 50))).kind).toBe('bad_request');
  expect(await membersOf({ group: top })).toMatchObject({ [eve.username]: 10 });
  // What was shared before stays.
  expect(await membersOf({ group: sub })).toMatchObject({ [eve.username]: 20 });
  await setting(ada, top, { shareWithGroupLock: false });
  await share(ada, { project }, invited, 30);
});

test('a top-level group keeps to its own hierarchy where its setting says so', async () => {
  const sibling = (await newGroup(ada, 'sibling', { parentId: top })).id;
  await setting(ada, top, { preventSharingGroupsOutsideHierarchy: true });
  for (const target of [{ group: sub }, { project }])
    expect(await refusal(share(ada, target, invited, 20))).toEqual({ kind: 'not_found', message: '404 Not found' });
  await share(ada, { project }, sibling, 20);
  // A subgroup's members may be invited further up.
  await share(ada, { group: top }, sibling, 20);
  expect((await refusal(setting(ada, sub, { preventSharingGroupsOutsideHierarchy: true }))).message).toEqual({
    prevent_sharing_groups_outside_hierarchy: ['can only be set on a top-level group'],
  });
});

test('shares in a circle give what each gives, and no more', async () => {
  await share(ada, { group: top }, invited, 20);
  await addMember(root, { group: top }, root, 50);
  await share(bob, { group: invited }, top, 15);
  const zoe = await running.user(`zoe${round}`);
  const third = (await newGroup(zoe, `third${round}`)).id;
  expect(await membersOf({ group: invited })).toEqual({
    [ada.username]: 15,
    [bob.username]: 50,
    [eve.username]: 30,
    [root.username]: 15,
  });
  // Members of `invited` are in `top` by a share: what is shared with `top` is not theirs.
  await share(root, { group: third }, top, 50);
  expect(await membersOf({ group: third })).toEqual({
    [zoe.username]: 50,
    [ada.username]: 50,
    [root.username]: 50,
  });
});

test('a share ends at its time at once; the job removes it with an event, or the next one replaces it', async () => {
  await share(ada, { group: top }, invited, 30, tomorrow());
  await share(ada, { project }, invited, 30, tomorrow());
  await running.db.query(
    sql`update group_shares set expires_at = now() - interval '1 second' where group_id = ${invited}`,
  );
  expect(await membersOf({ project })).toEqual({ [ada.username]: 50 });
  expect((await group(ada, top)).shared_with_groups).toEqual([]);
  expect(await listedGroups(bob, { sharedWithGroupId: invited })).toEqual([]);
  expect((await refusal(unshare(ada, { group: top }, invited))).kind).toBe('not_found');
  await share(ada, { group: top }, invited, 10);
  await running.purge();
  const rows = await running.db.query(sql`select access_level from group_shares where group_id = ${invited}`);
  expect(rows).toEqual([{ access_level: 10 }]);
  const removed = (await factsOf(invited)).filter(({ event_id }) => event_id.startsWith('share_removed'));
  expect(removed).toHaveLength(2);
  for (const { body } of removed) expect(body).toMatchObject({ removed: { reason: 'REASON_EXPIRED' } });
});

test('what is deleted takes its shares along, on both sides; a transfer keeps them', async () => {
  await share(ada, { group: sub }, invited, 30);
  await share(ada, { project }, invited, 20);
  await groups(ada).transferGroup({ groupId: sub, parentId: 0 });
  expect(await membersOf({ project })).toMatchObject({ [eve.username]: 30 });
  const other = (await newGroup(ada, `other${round}`)).id;
  await share(ada, { group: other }, invited, 30);
  await projects(ada).deleteProject({ projectId: project, ifUnmodifiedSince: undefined });
  await running.purge();
  expect(await listedGroups(bob, { sharedWithGroupId: invited })).toEqual([sub, other].sort((a, b) => a - b));
  const remove = (by: TestUser, groupId: number) =>
    groups(by).deleteGroup({ groupId, permanentlyRemove: false, fullPath: '', ifUnmodifiedSince: undefined });
  await remove(ada, other);
  await running.purge();
  await remove(bob, invited);
  // At once, before the purge.
  expect(await membersOf({ group: sub })).toEqual({ [ada.username]: 50 });
  await running.purge();
  const rows = await running.db.query(sql`select id from group_shares where group_id = ${invited}`);
  expect(rows).toEqual([]);
  const removed = (await factsOf(invited)).filter(({ event_id }) => event_id.startsWith('share_removed'));
  expect(removed.map(({ body }) => (body.removed as { reason: string }).reason)).toEqual(
    Array.from({ length: 3 }, () => 'REASON_PARENT_DELETED'),
  );
});

test('a share counts where projects and groups are made', async () => {
  await share(ada, { group: top }, invited, 40);
  await newProject(bob, sub, 'made');
  await newGroup(bob, 'made-group', { parentId: sub });
  expect((await refusal(newGroup(eve, 'refused', { parentId: sub }))).kind).toBe('forbidden');
});
