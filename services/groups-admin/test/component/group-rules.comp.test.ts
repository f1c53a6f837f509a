import { sql } from '@switchyard/database/sql';
import { ResolveRequest } from '@switchyard/protos/groups_admin/v1/access';
import { resolveAccess } from '../../src/directory/application/resolve-access';
import { accessStore } from '../../src/directory/storage/access.store';
import { machineTokenStore } from '../../src/directory/storage/machine-token.store';
import { namespaceRow } from '../support/directory-row';
import { groupClients, refusal } from '../support/group-clients';
import { allGroups, allProjects } from '../support/requests';
import { pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let root: TestUser;
let ada: TestUser;
let bob: TestUser;
let cat: TestUser;

const delayDays = 7;

beforeAll(async () => {
  running = await runGroups({ delayDays });
  root = await running.user('root', { admin: true });
  ada = await running.user('ada');
  bob = await running.user('bob');
  cat = await running.user('cat');
});

afterAll(() => running.close());

const { groups, projects, newGroup, newProject, addMember } = groupClients(() => running);

type Options = { permanentlyRemove?: boolean; fullPath?: string };
const whole = { permanentlyRemove: false, fullPath: '', ifUnmodifiedSince: undefined };
const removeGroup = (groupId: number, options: Options = {}, by = ada) =>
  groups(by).deleteGroup({ groupId, ...whole, ...options }, { group: groupId });
const removeProject = (projectId: number, options: Options = {}, by = ada) =>
  projects(by).deleteProject({ projectId, ...whole, ...options }, { project: projectId });
const restoreGroup = (groupId: number, by = ada) =>
  shown('Group', groups(by).restoreGroup({ groupId }, { group: groupId }));
const restoreProject = (projectId: number, by = ada) =>
  shown('Project', projects(by).restoreProject({ projectId }, { project: projectId }));

const today = () => new Date().toISOString().slice(0, 10);
const page = pageOf({ perPage: 100, orderBy: 'id' });
const pathsOf = (rows: { full_path?: string; path_with_namespace?: string }[]) =>
  rows.map(({ full_path, path_with_namespace }) => full_path ?? path_with_namespace);
const groupsOf = async (user: TestUser | undefined, given: Partial<typeof allGroups> = {}) =>
  pathsOf(await shown('GroupItem', groups(user).listGroups({ ...allGroups, allAvailable: true, page, ...given })));
const projectsOf = async (user: TestUser | undefined, given: Partial<typeof allProjects> = {}) =>
  pathsOf(await shown('ProjectItem', projects(user).listProjects({ ...allProjects, page, ...given })));

/** Moves a mark into the past. */
const age = (days: number) =>
  running.db.query(sql`
    with aged as (update namespaces set marked_for_deletion_at = marked_for_deletion_at - ${days} * interval '1 day'
      where marked_for_deletion_at > to_timestamp(0))
    update projects set marked_for_deletion_at = marked_for_deletion_at - ${days} * interval '1 day'
      where marked_for_deletion_at > to_timestamp(0)`);

/** What the gateway learns of a target, for a user. */
async function resolve(user: TestUser, target: ResolveRequest['target'], given: Partial<ResolveRequest> = {}) {
  const digest = Buffer.from(`digest of ${user.username}`);
  await running.db.query(sql`
    insert into personal_access_tokens (user_id, name, token_digest, scopes)
    values (${user.userId}, 't', ${digest}, ${['api']}::text[]) on conflict do nothing`);
  const resolveNow = resolveAccess({
    store: { ...accessStore(running.db), ...machineTokenStore(running.db) },
    digestOf: () => digest,
    tier: 'ultimate',
  });
  return resolveNow(ResolveRequest.fromPartial({ token: 'any', target, ...given }));
}
const groupNamed = (value: string | number) => ({ $case: 'group', value: String(value) }) as const;
const projectNamed = (value: string | number) => ({ $case: 'project', value: String(value) }) as const;

describe('what is marked for deletion (G-4.15-7)', () => {
  test('is hidden from everyone, and found by its Owners and administrators alone', async () => {
    const top = await newGroup(ada, 'doomed', { visibility: 'public' });
    const project = await newProject(ada, top.id, 'code', { visibility: 'public' });
    await addMember(ada, { group: top.id }, bob, 40);
    expect((await removeGroup(top.id)).status).toBe(202);
    for (const user of [ada, bob, root, undefined]) {
      expect(await groupsOf(user)).not.toContain('doomed');
      expect(await projectsOf(user)).not.toContain('doomed/code');
    }
    const markedForDeletionOn = today();
    expect(await groupsOf(ada, { markedForDeletionOn })).toEqual(['doomed']);
    expect(await groupsOf(ada, { markedForDeletionOn, allAvailable: false })).toEqual(['doomed']);
    expect(await groupsOf(root, { markedForDeletionOn })).toContain('doomed');
    expect(await groupsOf(ada, { markedForDeletionOn: '2020-01-01' })).toEqual([]);
    for (const user of [bob, undefined]) expect(await groupsOf(user, { markedForDeletionOn })).toEqual([]);
    for (const target of [groupNamed('doomed'), projectNamed(project.id)]) {
      expect((await resolve(ada, target)).access).toBeUndefined();
      expect((await resolve(ada, target, { marked: true })).access).toMatchObject({ level: 50 });
      expect((await resolve(root, target, { marked: true })).access).toMatchObject({ level: 50 });
      expect((await resolve(bob, target, { marked: true })).access).toBeUndefined();
    }
    const seen = await shown('Group', groups(ada).getGroup({ groupId: top.id, withProjects: true }, { group: top.id }));
    expect(seen).toMatchObject({ marked_for_deletion_on: today(), projects: [] });
    expect(await refusal(removeGroup(top.id))).toMatchObject({ kind: 'bad_request' });
  });

  test('is restored by them until it is due', async () => {
    const top = await newGroup(ada, 'regret');
    const project = await newProject(ada, top.id, 'code');
    await removeGroup(top.id);
    await running.purge();
    expect(await restoreGroup(top.id)).toMatchObject({ full_path: 'regret', marked_for_deletion_on: null });
    expect(await groupsOf(ada)).toContain('regret');
    expect(await projectsOf(ada)).toContain('regret/code');
    expect(await refusal(restoreGroup(top.id))).toMatchObject({ kind: 'bad_request' });

    await removeProject(project.id);
    expect(await projectsOf(ada)).not.toContain('regret/code');
    expect(await projectsOf(ada, { active: false })).toContain('regret/code');
    expect(await projectsOf(bob, { active: false })).not.toContain('regret/code');
    expect(await projectsOf(ada, { markedForDeletionOn: today() })).toEqual(['regret/code']);
    expect(await refusal(removeProject(project.id))).toMatchObject({ kind: 'bad_request' });
    expect(await restoreProject(project.id)).toMatchObject({ marked_for_deletion_on: null });
    expect(await refusal(restoreProject(project.id))).toMatchObject({ kind: 'bad_request' });
    expect(await projectsOf(ada)).toContain('regret/code');
  });

  test('is removed when it is due, and from the first step on no one restores it', async () => {
    const top = await newGroup(ada, 'due');
    const child = await newGroup(ada, 'child', { parentId: top.id });
    const project = await newProject(ada, child.id, 'code');
    await removeGroup(top.id);
    await age(delayDays - 1);
    await running.purge();
    expect((await resolve(ada, groupNamed(top.id), { marked: true })).access).toBeDefined();
    await age(1);
    // A purge that stops after its first step.
    const namespaces = await running.db.query(sql`
      update namespaces set marked_for_deletion_at = to_timestamp(0) where id = ${top.id} returning id`);
    expect(namespaces).toHaveLength(1);
    expect(await refusal(restoreGroup(top.id))).toMatchObject({ kind: 'not_found' });
    expect((await resolve(ada, groupNamed(child.id), { marked: true })).access).toBeUndefined();
    expect(await groupsOf(root, { markedForDeletionOn: '1970-01-01' })).toEqual([]);
    await running.purge();
    expect(
      await running.db.query(sql`select 1 from namespaces where id in (${top.id}, ${child.id})
        union all select 1 from projects where id = ${project.id}`),
    ).toEqual([]);
  });

  test('a subgroup or project is removed at once with permanently_remove and its full path', async () => {
    const top = await newGroup(ada, 'for-good');
    const child = await newGroup(ada, 'child', { parentId: top.id });
    const project = await newProject(ada, top.id, 'code');
    const now = (fullPath: string) => ({ permanentlyRemove: true, fullPath });
    expect(await refusal(removeGroup(child.id, now('for-good/child')))).toMatchObject({ kind: 'bad_request' });
    expect(await refusal(removeProject(project.id, now('for-good/code')))).toMatchObject({ kind: 'bad_request' });
    await Promise.all([removeGroup(child.id), removeProject(project.id)]);
    for (const path of ['child', '']) {
      expect(await refusal(removeGroup(child.id, now(path)))).toMatchObject({ kind: 'bad_request' });
      expect(await refusal(removeProject(project.id, now(path)))).toMatchObject({ kind: 'bad_request' });
    }
    expect((await removeGroup(child.id, now('for-good/child'))).status).toBe(202);
    expect((await removeProject(project.id, now('for-good/code'))).status).toBe(202);
    await running.purge();
    expect(
      await running.db.query(sql`select 1 from namespaces where id = ${child.id}
        union all select 1 from projects where id = ${project.id}`),
    ).toEqual([]);
    await removeGroup(top.id);
    expect(await refusal(removeGroup(top.id, now('for-good')))).toMatchObject({ kind: 'bad_request' });
  });

  test('in the tier free everything is removed at once, whatever is sent', async () => {
    const top = await newGroup(ada, 'frugal');
    const project = await newProject(ada, top.id, 'code');
    await groups(root).updateGroup({ groupId: top.id, settings: undefined, tier: 'free' }, { group: top.id });
    await removeProject(project.id, { permanentlyRemove: true, fullPath: 'wrong' });
    expect(await refusal(restoreProject(project.id))).toMatchObject({ kind: 'not_found' });
    await removeGroup(top.id, { permanentlyRemove: true, fullPath: 'wrong' });
    expect((await resolve(ada, groupNamed(top.id), { marked: true })).access).toBeUndefined();
    await running.purge();
    expect(await running.db.query(sql`select 1 from namespaces where id = ${top.id}`)).toEqual([]);
  });
});

describe('address ranges and git protocols (G-4.15-5, G-4.15-6)', () => {
  const update = (id: number, settings: object, by = ada) =>
    shown('Group', groups(by).updateGroup({ groupId: id, settings }, { group: id }));

  test('of the top-level group hold for all below, but not for administrators', async () => {
    const top = await newGroup(ada, 'walled', { visibility: 'public' });
    const child = await newGroup(ada, 'child', { parentId: top.id });
    const project = await newProject(ada, child.id, 'code');
    expect(await update(top.id, { ipRestrictionRanges: ' 10.0.0.0/8 ,2001:db8::/32' })).toMatchObject({
      ip_restriction_ranges: '10.0.0.0/8,2001:db8::/32',
    });
    expect(await update(top.id, { enabledGitAccessProtocol: 'ssh' })).toMatchObject({
      enabled_git_access_protocol: 'ssh',
    });
    const restricted = async (id: number) => (await namespaceRow(running.db, id))?.addressRestricted;
    expect([await restricted(top.id), await restricted(child.id)]).toEqual([true, false]);
    const addresses = { ranges: ['10.0.0.0/8', '2001:db8::/32'] };
    const targets = [groupNamed('walled'), groupNamed('walled/child'), projectNamed(project.id)];
    for (const target of targets) {
      expect(await resolve(ada, target)).toMatchObject({ addresses, access: { gitProtocol: 'ssh' } });
      expect((await resolve(root, target)).addresses).toBeUndefined();
    }
    // The path that it had before reveals no more than the path it has.
    await update(top.id, { path: 'fenced' });
    expect(await resolve(ada, groupNamed('walled'))).toMatchObject({ movedTo: top.id, addresses });
    // In the tier free they are not in force, and are kept.
    await groups(root).updateGroup({ groupId: top.id, settings: undefined, tier: 'free' }, { group: top.id });
    expect((await resolve(ada, targets[2])).addresses).toBeUndefined();
    await groups(root).updateGroup({ groupId: top.id, settings: undefined, tier: '' }, { group: top.id });
    expect((await resolve(ada, targets[2])).addresses).toEqual(addresses);
    expect(await update(top.id, { ipRestrictionRanges: '', enabledGitAccessProtocol: 'all' })).toMatchObject({
      ip_restriction_ranges: null,
    });
    const open = await resolve(ada, targets[2]);
    expect([open.addresses, open.access?.gitProtocol]).toEqual([undefined, undefined]);
    expect(await restricted(top.id)).toBe(false);
  });

  test('are refused where they are wrong, with all problems, and below the top level', async () => {
    const top = await newGroup(ada, 'precise');
    const child = await newGroup(ada, 'child', { parentId: top.id });
    expect(await refusal(update(top.id, { ipRestrictionRanges: '10.0.0.0/33,here', name: '' }))).toEqual({
      kind: 'invalid',
      message: {
        name: ["can't be blank"],
        ip_restriction_ranges: ['10.0.0.0/33 is an invalid IP address range', 'here is an invalid IP address range'],
      },
    });
    expect(
      await refusal(update(child.id, { ipRestrictionRanges: '10.0.0.1', enabledGitAccessProtocol: 'ssh' })),
    ).toMatchObject({
      message: {
        ip_restriction_ranges: ['can only be set on a top-level group'],
        enabled_git_access_protocol: ['can only be set on a top-level group'],
      },
    });
    expect(await update(child.id, { enabledGitAccessProtocol: 'all' })).toMatchObject({
      enabled_git_access_protocol: 'all',
    });
    await update(top.id, { ipRestrictionRanges: '10.0.0.1' });
    const other = await newGroup(ada, 'other');
    expect(
      await refusal(groups(ada).transferGroup({ groupId: top.id, parentId: other.id }, { group: top.id })),
    ).toMatchObject({ kind: 'bad_request', message: expect.stringContaining('ip_restriction_ranges') });
  });
});

describe('who creates and moves what (G-2-33, G-4.15-8)', () => {
  const update = (id: number, settings: object) => groups(ada).updateGroup({ groupId: id, settings }, { group: id });
  const moveProject = (id: number, namespace: number, by = ada) =>
    shown('Project', projects(by).transferProject({ projectId: id, namespace: String(namespace) }, { project: id }));
  const moveGroup = (id: number, parentId: number, by = ada) =>
    shown('Group', groups(by).transferGroup({ groupId: id, parentId }, { group: id }));
  const locations = async (user: TestUser, moving: { project: number } | { group: number }, search = '') => {
    const request = {
      moving:
        'project' in moving
          ? ({ $case: 'projectId', value: moving.project } as const)
          : ({ $case: 'groupId', value: moving.group } as const),
      search,
      page: pageOf({ perPage: 100 }),
    };
    return pathsOf(await shown('GroupTransferLocation', groups(user).listTransferLocations(request)));
  };
  let serial = 0;

  test.each([
    ['noone', [false, false, false, false]],
    ['owner', [false, false, true, true]],
    ['maintainer', [false, true, true, true]],
    ['developer', [true, true, true, true]],
    ['administrator', [false, false, false, true]],
  ])('project_creation_level %s holds for creating, moving and where a move may go', async (level, expected) => {
    serial += 1;
    const group = await newGroup(ada, `makers-${serial}`);
    await update(group.id, { projectCreationLevel: level });
    await addMember(ada, { group: group.id }, bob, 30);
    await addMember(ada, { group: group.id }, cat, 40);
    for (const [at, user] of [bob, cat, ada, root].entries()) {
      const may = expected[at];
      const own = await newProject(user, 0, `own-${serial}-${at}`);
      expect([at, await locations(user, { project: own.id }, group.path)]).toEqual([at, may ? [group.path] : []]);
      const made = newProject(user, group.id, `made-${at}`);
      const moved = moveProject(own.id, group.id, user);
      if (may) await Promise.all([made, moved]);
      else for (const refused of [made, moved]) expect(await refusal(refused)).toMatchObject({ kind: 'forbidden' });
    }
  });

  test('subgroup_creation_level holds for creating, moving and where a move may go', async () => {
    const group = await newGroup(ada, 'nest');
    await addMember(ada, { group: group.id }, bob, 40);
    const egg = await newGroup(bob, 'egg');
    await update(group.id, { subgroupCreationLevel: 'owner' });
    expect(await locations(bob, { group: egg.id }, 'nest')).toEqual([]);
    expect(await refusal(newGroup(bob, 'chick', { parentId: group.id }))).toMatchObject({ kind: 'forbidden' });
    expect(await refusal(moveGroup(egg.id, group.id, bob))).toMatchObject({ kind: 'forbidden' });
    await update(group.id, { subgroupCreationLevel: 'maintainer' });
    expect(await locations(bob, { group: egg.id }, 'nest')).toEqual(['nest']);
    expect(await moveGroup(egg.id, group.id, bob)).toMatchObject({ full_path: 'nest/egg' });
  });

  test('a group does not go where it cannot be, and its locations say so', async () => {
    const top = await newGroup(ada, 'mover', { visibility: 'internal' });
    const inside = await newGroup(ada, 'inside', { parentId: top.id });
    const narrow = await newGroup(ada, 'mover-narrow', { visibility: 'private' });
    const wide = await newGroup(ada, 'mover-wide', { visibility: 'public' });
    await newProject(ada, wide.id, 'mover');
    expect(await locations(ada, { group: top.id }, 'mover')).toEqual(['mover-wide']);
    expect(await locations(ada, { group: inside.id }, 'mover')).toEqual(['mover-wide']);
    for (const [id, to] of [
      [top.id, top.id],
      [top.id, inside.id],
      [top.id, narrow.id],
      // The path is taken by a project.
      [top.id, wide.id],
      [inside.id, top.id],
      [top.id, 0],
    ] as const) {
      expect([id, to, (await refusal(moveGroup(id, to))).kind]).toEqual([id, to, 'bad_request']);
    }
    expect((await refusal(moveGroup(top.id, 99_999_999))).kind).toBe('not_found');
    // `explore` is a name of the instance at the top level, and of no route below.
    const explore = await newGroup(ada, 'explore', { parentId: top.id });
    expect(await refusal(moveGroup(explore.id, 0))).toMatchObject({
      kind: 'bad_request',
      message: expect.stringContaining('reserved'),
    });
    await groups(ada).deleteGroup({ groupId: wide.id, ...whole }, { group: wide.id });
    expect(await locations(ada, { group: top.id }, 'mover')).toEqual([]);
    expect((await refusal(moveGroup(top.id, wide.id))).kind).toBe('not_found');
  });

  test('an administrator moves a project into a group by ids or paths, and it redirects', async () => {
    const group = await newGroup(ada, 'harbour');
    const project = await newProject(ada, 0, 'boat');
    const move = (given: { group: string; project: string }) => groups(root).transferProjectToGroup(given);
    expect(await shown('Group', move({ group: 'harbour', project: 'ada/boat' }))).toMatchObject({ id: group.id });
    expect(await projectsOf(ada, { groupId: group.id })).toEqual(['harbour/boat']);
    expect((await resolve(ada, projectNamed('ada/boat'))).movedTo).toBe(project.id);
    for (const given of [
      { group: 'nowhere', project: 'harbour/boat' },
      { group: 'harbour', project: 'ada/nothing' },
    ]) {
      expect((await refusal(move(given))).kind).toBe('not_found');
    }
    expect((await refusal(move({ group: String(group.id), project: String(project.id) }))).kind).toBe('invalid');
  });

  test('repository_storage finds what lies there', async () => {
    await newProject(ada, (await newGroup(ada, 'stored')).id, 'here');
    for (const [repositoryStorage, found] of [
      ['default', true],
      ['other', false],
    ] as const) {
      expect((await groupsOf(root, { repositoryStorage })).includes('stored')).toBe(found);
      expect((await projectsOf(root, { repositoryStorage })).includes('stored/here')).toBe(found);
    }
  });
});

test('the protection of default branches is printed in both forms, and reaches the directory (G-4.15-5)', async () => {
  const group = await newGroup(ada, 'guarded');
  expect(group).toMatchObject({ default_branch_protection: 2 });
  const update = (settings: object) =>
    shown('Group', groups(ada).updateGroup({ groupId: group.id, settings }, { group: group.id }));
  const inDirectory = async () => (await namespaceRow(running.db, group.id))?.defaultBranchProtection;
  const full = { pushAccessLevel: 40, mergeAccessLevel: 40, allowForcePush: false, developerCanInitialPush: false };
  expect(await inDirectory()).toEqual(full);
  expect(await update({ defaultBranchProtection: 4 })).toMatchObject({
    default_branch_protection: 4,
    default_branch_protection_defaults: { developer_can_initial_push: true },
  });
  expect(await inDirectory()).toEqual({ ...full, developerCanInitialPush: true });
  const changed = { allowedToPush: [60, 30], allowedToMerge: [0], allowForcePush: true };
  expect(await update({ defaultBranchProtectionDefaults: changed })).toMatchObject({
    default_branch_protection: 2,
    default_branch_protection_defaults: {
      allowed_to_push: [{ access_level: 60 }, { access_level: 30 }],
      developer_can_initial_push: true,
    },
  });
  expect(await inDirectory()).toEqual({
    pushAccessLevel: 30,
    mergeAccessLevel: 0,
    allowForcePush: true,
    developerCanInitialPush: true,
  });
});
