import { sql } from '@switchyard/database/sql';
import { GroupServiceService } from '@switchyard/protos/groups_admin/v1/group';
import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { groupClients, refusal } from '../support/group-clients';
import { allGroups, allProjects } from '../support/requests';
import { pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let root: TestUser;
let ada: TestUser;
let bob: TestUser;
let outsider: TestUser;

beforeAll(async () => {
  running = await runGroups();
  root = await running.user('root', { admin: true });
  ada = await running.user('ada');
  bob = await running.user('bob');
  outsider = await running.user('outsider', { external: true, canCreateGroup: false });
});

afterAll(() => running.close());

const { groups, projects, newGroup, newProject, addMember } = groupClients(() => running);

const list = async (user: TestUser | undefined, given: Partial<typeof allGroups> = {}): Promise<string[]> => {
  const page = pageOf({ perPage: 100, orderBy: 'id' });
  const found = await shown('GroupItem', groups(user).listGroups({ ...allGroups, allAvailable: true, page, ...given }));
  return found.map((group: { full_path: string }) => group.full_path);
};

const taken = 'Failed to save group {:path=>["has already been taken"]}';

describe('creating', () => {
  test('a group, a project in it and a member are there for the next read', async () => {
    const group = await newGroup(ada, 'first');
    expect(group).toMatchObject({
      path: 'first',
      full_path: 'first',
      visibility: 'private',
      parent_id: null,
      web_url: 'https://forge.example/groups/first',
      runners_token: expect.stringMatching(/^GR1348941.{20}$/),
    });
    const project = await newProject(ada, group.id, 'web');
    expect(project).toMatchObject({
      path_with_namespace: 'first/web',
      http_url_to_repo: 'https://forge.example/first/web.git',
      ssh_url_to_repo: 'git@forge.example:first/web.git',
      permissions: { project_access: null, group_access: { access_level: 50, notification_level: 3 } },
    });
    expect(await addMember(ada, { group: group.id }, bob, 30)).toMatchObject({
      username: 'bob',
      access_level: 30,
      created_by: { username: 'ada' },
      expires_at: null,
    });
    expect(await list(bob, { allAvailable: false })).toEqual(['first']);
    const seen = await shown(
      'Group',
      groups(bob).getGroup({ groupId: group.id, withProjects: true }, { group: group.id }),
    );
    expect(seen.projects.map((one: { id: number }) => one.id)).toEqual([project.id]);
    expect(seen.shared_projects).toEqual([]);
    expect(seen).not.toHaveProperty('runners_token');
  });

  test('a subgroup inherits the visibility of its parent and is never wider', async () => {
    const parent = await newGroup(ada, 'inner-circle', { visibility: 'internal' });
    const child = await newGroup(ada, 'child', { parentId: parent.id });
    expect(child).toMatchObject({
      visibility: 'internal',
      full_path: 'inner-circle/child',
      full_name: 'inner-circle / child',
    });
    expect(await refusal(newGroup(ada, 'open', { parentId: parent.id, visibility: 'public' }))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('Failed to save group {:visibility_level=>["public is not allowed'),
    });
  });

  test.each(['-', 'admin', 'api', 'with space', 'ends.git', '-dash', 'dot.'])(
    'the path %p is refused',
    async (path) => {
      const { kind, message } = await refusal(newGroup(ada, path, { name: 'name' }));
      expect(kind).toBe('invalid');
      expect(message).toContain('Failed to save group {:path=>[');
    },
  );

  test('of two identical groups at once one succeeds', async () => {
    const results = await Promise.allSettled([newGroup(ada, 'twin'), newGroup(bob, 'TWIN'), newGroup(root, 'twin')]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected')
        expect(await refusal(Promise.reject(result.reason))).toEqual({ kind: 'invalid', message: taken });
    }
  });

  test('a project and a subgroup never share a path, whichever comes first', async () => {
    const { id } = await newGroup(ada, 'shared-names');
    const results = await Promise.allSettled([newGroup(ada, 'same', { parentId: id }), newProject(ada, id, 'same')]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a user who may not is refused, and an invisible parent does not exist', async () => {
    const secret = await newGroup(ada, 'secret');
    expect(await refusal(newGroup(outsider, 'mine'))).toMatchObject({ kind: 'forbidden' });
    expect(await refusal(newGroup(bob, 'x', { parentId: secret.id }))).toEqual({
      kind: 'not_found',
      message: '404 Group Not Found',
    });
    await addMember(ada, { group: secret.id }, bob, 30);
    expect(await refusal(newGroup(bob, 'x', { parentId: secret.id }))).toMatchObject({ kind: 'forbidden' });
  });

  test('twenty levels are the deepest', async () => {
    let parent = await newGroup(ada, 'deep');
    for (let level = 2; level <= 20; level += 1) parent = await newGroup(ada, `l${level}`, { parentId: parent.id });
    const { kind } = await refusal(newGroup(ada, 'l21', { parentId: parent.id }));
    expect(kind).toBe('invalid');
  });
});

describe('listing', () => {
  let family: number;

  beforeAll(async () => {
    const top = await newGroup(root, 'family', { visibility: 'public' });
    family = top.id;
    const inner = await newGroup(root, 'inner', { parentId: top.id, visibility: 'internal' });
    const hidden = await newGroup(root, 'hidden', { parentId: top.id, visibility: 'private' });
    const below = await newGroup(root, 'below', { parentId: hidden.id });
    const project = await newProject(root, below.id, 'code');
    await addMember(root, { project: project.id }, bob, 10);
    await addMember(root, { group: inner.id }, ada, 40);
  });

  const under = async (user: TestUser | undefined, given: Partial<typeof allGroups> = {}) =>
    list(user, { ancestorId: family, ...given });

  test('each sees what is open to them, and what lies above their memberships', async () => {
    expect(await under(undefined)).toEqual([]);
    expect(await under(outsider)).toEqual([]);
    expect(await under(ada)).toEqual(['family/inner']);
    expect(await under(bob)).toEqual(['family/inner', 'family/hidden', 'family/hidden/below']);
    expect(await under(root)).toEqual(['family/inner', 'family/hidden', 'family/hidden/below']);
    expect(await list(undefined)).toContain('family');
  });

  test('without all_available, a user sees those they belong to', async () => {
    expect(await under(ada, { allAvailable: false })).toEqual(['family/inner']);
    expect(await list(bob, { allAvailable: false })).toEqual(expect.arrayContaining(['family', 'family/hidden/below']));
    expect(await list(bob, { allAvailable: false })).not.toContain('family/inner');
  });

  test.each([
    [{ minAccessLevel: 40 }, ['family/inner']],
    [{ minAccessLevel: 50 }, []],
    [{ owned: true }, []],
    [{ visibility: 'internal' }, ['family/inner']],
    [{ visibility: 'private' }, []],
    [{ search: 'INN' }, ['family/inner']],
    [{ search: 'in' }, []],
    [{ search: 'family/in' }, ['family/inner']],
    [{ topLevelOnly: true }, []],
  ])('filters by %j', async (given, expected) => {
    expect(await under(ada, given)).toEqual(expected);
  });

  test('children, and groups to leave out', async () => {
    expect(await list(root, { parentId: family })).toEqual(['family/inner', 'family/hidden']);
    const [inner] = await shown(
      'GroupItem',
      groups(root).listGroups({ ...allGroups, parentId: family, page: pageOf({ orderBy: 'id' }) }),
    );
    expect(await list(root, { parentId: family, skipGroups: [inner.id] })).toEqual(['family/hidden']);
  });

  test('similarity puts the best match first', async () => {
    await newGroup(root, 'needle-in-a-haystack', { visibility: 'public' });
    await newGroup(root, 'needle', { visibility: 'public' });
    const found = await list(root, { search: 'needle', page: pageOf({ orderBy: 'similarity' }) });
    expect(found).toEqual(['needle', 'needle-in-a-haystack']);
  });

  test('keyset pages meet every group once', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const reply = await groups(root).listGroups({
        ...allGroups,
        page: pageOf({ keyset: true, perPage: 3, cursor, orderBy: 'name' }),
      });
      seen.push(
        ...JSON.parse(Buffer.from(reply.json).toString()).map((group: { full_path: string }) => group.full_path),
      );
      cursor = reply.page?.nextCursor ?? '';
    } while (cursor !== '');
    expect(seen.length).toBe(new Set(seen).size);
    expect([...seen].sort()).toEqual([...(await list(root, { page: pageOf({ perPage: 100 }) }))].sort());
  });
});

describe('updating', () => {
  const update = (id: number, settings: object) =>
    shown('Group', groups(ada).updateGroup({ groupId: id, settings }, { group: id }));

  test('every setting comes back as it was set, and what nothing is behind with its default', async () => {
    const { id } = await newGroup(ada, 'settings');
    const changed = await update(id, {
      description: 'About us',
      visibility: 'internal',
      shareWithGroupLock: true,
      projectCreationLevel: 'maintainer',
      subgroupCreationLevel: 'owner',
      emailsEnabled: false,
      mentionsDisabled: true,
      requestAccessEnabled: false,
      defaultBranch: 'trunk',
      defaultBranchProtection: 3,
      membershipLock: true,
      ipRestrictionRanges: '10.0.0.0/8',
      preventSharingGroupsOutsideHierarchy: true,
      allowedEmailDomainsList: 'example.com',
      enabledGitAccessProtocol: 'ssh',
    });
    expect(changed).toMatchObject({
      description: 'About us',
      visibility: 'internal',
      share_with_group_lock: true,
      two_factor_grace_period: 48,
      project_creation_level: 'maintainer',
      subgroup_creation_level: 'owner',
      emails_disabled: true,
      emails_enabled: false,
      mentions_disabled: true,
      lfs_enabled: true,
      request_access_enabled: false,
      default_branch: 'trunk',
      default_branch_protection: 3,
      default_branch_protection_defaults: {
        allowed_to_push: [{ access_level: 40 }],
        allowed_to_merge: [{ access_level: 30 }],
      },
      membership_lock: true,
      shared_runners_minutes_limit: null,
      wiki_access_level: 'enabled',
      assistant_availability: 'default_on',
      ip_restriction_ranges: '10.0.0.0/8',
      prevent_sharing_groups_outside_hierarchy: true,
      require_two_factor_authentication: false,
      auto_devops_enabled: null,
      extra_shared_runners_minutes_limit: null,
      experiment_features_enabled: false,
      assistant_features_enabled: true,
      lock_assistant_features_enabled: false,
      shared_runners_setting: 'enabled',
      file_template_project_id: null,
      allowed_email_domains_list: 'example.com',
      math_rendering_limits_enabled: true,
      lock_math_rendering_limits_enabled: false,
      max_artifacts_size: null,
      enabled_git_access_protocol: 'ssh',
    });
    const kept = await update(id, { defaultBranch: '' });
    expect(kept).toMatchObject({ default_branch: null, default_branch_protection: 3, membership_lock: true });
  });

  test('a rename moves all below it in one statement and keeps the old paths', async () => {
    const top = await newGroup(ada, 'old-top');
    const middle = await newGroup(ada, 'middle', { parentId: top.id });
    await newGroup(ada, 'leaf', { parentId: middle.id });
    const project = await newProject(ada, middle.id, 'code');
    expect(await update(top.id, { path: 'new-top', name: 'New top' })).toMatchObject({
      full_path: 'new-top',
      full_name: 'New top',
    });
    expect(await list(ada, { ancestorId: top.id })).toEqual(['new-top/middle', 'new-top/middle/leaf']);
    const moved = await shown('Project', projects(ada).getProject({ projectId: project.id }, { project: project.id }));
    expect(moved).toMatchObject({
      path_with_namespace: 'new-top/middle/code',
      name_with_namespace: 'New top / middle / code',
    });
    const redirects = await running.db.query<{ path: string }>(
      sql`select path from redirect_routes where path like 'old-top%' order by path`,
    );
    expect(redirects.map(({ path }) => path)).toEqual(['old-top', 'old-top/middle', 'old-top/middle/leaf']);
  });

  test('a taken path and a visibility narrower than what is inside are refused', async () => {
    const { id } = await newGroup(ada, 'narrow', { visibility: 'public' });
    await newProject(ada, id, 'wide', { visibility: 'public' });
    await newGroup(ada, 'occupied');
    expect(await refusal(update(id, { path: 'occupied' }))).toEqual({
      kind: 'invalid',
      message: { path: ['has already been taken'] },
    });
    expect(await refusal(update(id, { visibility: 'private' }))).toMatchObject({
      kind: 'invalid',
      message: { visibility_level: [expect.stringContaining('private is not allowed')] },
    });
  });

  test('subgroups made while their group is renamed end below the new path', async () => {
    const top = await newGroup(ada, 'race');
    const middle = await newGroup(ada, 'm', { parentId: top.id });
    await Promise.all([
      update(top.id, { path: 'raced' }),
      ...Array.from({ length: 6 }, (_, at) => newGroup(ada, `s${at}`, { parentId: middle.id })),
    ]);
    const paths = await list(ada, { ancestorId: top.id });
    expect(paths).toHaveLength(7);
    expect(paths.every((path) => path.startsWith('raced/m'))).toBe(true);
  });

  test('moving a group takes its tree along; into itself it cannot go', async () => {
    const from = await newGroup(ada, 'from');
    const to = await newGroup(ada, 'to');
    const moving = await newGroup(ada, 'moving', { parentId: from.id });
    const inside = await newGroup(ada, 'inside', { parentId: moving.id });
    const transfer = (id: number, parentId: number) =>
      shown('Group', groups(ada).transferGroup({ groupId: id, parentId }, { group: id }));
    expect(await refusal(transfer(moving.id, inside.id))).toMatchObject({ kind: 'bad_request' });
    expect(await transfer(moving.id, to.id)).toMatchObject({ full_path: 'to/moving', parent_id: to.id });
    expect(await list(ada, { ancestorId: to.id })).toEqual(['to/moving', 'to/moving/inside']);
    expect(await transfer(moving.id, 0)).toMatchObject({ full_path: 'moving', parent_id: null });
    expect(await list(ada, { ancestorId: moving.id })).toEqual(['moving/inside']);
    expect(await list(ada, { ancestorId: to.id })).toEqual([]);
  });
});

describe('a licence tier', () => {
  const license = (by: TestUser, id: number, tier: string) =>
    groups(by).updateGroup({ groupId: id, settings: undefined, tier }, { group: id });

  test('is given by administrators, to top-level groups; it holds for all below and comes back as one change', async () => {
    const top = await newGroup(ada, 'licensed');
    const below = await newGroup(ada, 'below', { parentId: top.id });
    const project = await newProject(ada, below.id, 'p');
    expect(top.tier).toBeNull();
    expect(below).not.toHaveProperty('tier');
    const sequence = async () =>
      (await running.db.query<{ value: number }>(sql`select value from directory_sequence`))[0]?.value ?? 0;
    const before = await sequence();
    expect(await shown('Group', license(root, top.id, 'free'))).toMatchObject({ tier: 'free' });
    expect(await sequence()).toBe(before + 1);
    const ofProject = projects(ada).getProject({ projectId: project.id }, { project: project.id });
    expect(await shown('Project', ofProject)).not.toHaveProperty('merge_trains_enabled');
    expect(await shown('Group', license(root, top.id, ''))).toMatchObject({ tier: null });

    expect(await refusal(license(ada, top.id, 'ultimate'))).toMatchObject({ kind: 'forbidden' });
    expect(await refusal(license(root, below.id, 'ultimate'))).toEqual({
      kind: 'invalid',
      message: { tier: ['can only be set on a top-level group'] },
    });
  });
});

test('on a free instance what is licensed is not shown', async () => {
  const free = await runGroups({ tier: 'free' });
  try {
    const owner = await free.user('owner');
    const { newGroup: make, newProject: makeProject } = groupClients(() => free);
    const group = await make(owner, 'frugal');
    for (const field of ['marked_for_deletion_on', 'membership_lock', 'assistant_availability']) {
      expect(group).not.toHaveProperty(field);
    }
    const settings = { mergeTrainsEnabled: true, mergeTrainTimeout: 9_999, approvalsBeforeMerge: 3 };
    const project = await makeProject(owner, group.id, 'p', settings);
    expect(project).not.toHaveProperty('merge_trains_enabled');
    // Once the group has a tier of its own, what was ignored has its default.
    const root = await free.user('root', { admin: true });
    await free
      .as(root, GroupServiceService)
      .updateGroup({ groupId: group.id, settings: undefined, tier: 'premium' }, { group: group.id });
    const projects = free.as(owner, ProjectServiceService);
    const target = { project: project.id };
    expect(await shown('Project', projects.getProject({ projectId: project.id }, target))).toMatchObject({
      merge_trains_enabled: false,
      merge_train_required_statuses: [],
      merge_train_timeout: 60,
      merge_train_parallel_cars: 20,
      merge_train_retries: 1,
      merge_train_batch_size: 4,
      merge_train_required_status_count: 0,
      merge_train_settling_seconds: 2,
      approvals_before_merge: 0,
    });
    const change = { projectId: project.id, settings: { featureAccessLevels: {}, ...settings } };
    expect(await refusal(projects.updateProject(change, target))).toEqual({
      kind: 'invalid',
      message: { merge_train_timeout: ['must be between 1 and 1440'] },
    });
  } finally {
    await free.close();
  }
});

describe('deleting', () => {
  test('one mark hides everything at once; the purge deletes it and publishes it', async () => {
    const top = await newGroup(ada, 'doomed', { visibility: 'public' });
    const child = await newGroup(ada, 'child', { parentId: top.id });
    const project = await newProject(ada, child.id, 'code', { visibility: 'public' });
    const reply = await groups(ada).deleteGroup(
      { groupId: top.id, permanentlyRemove: false, fullPath: '', ifUnmodifiedSince: undefined },
      { group: top.id },
    );
    expect(reply.status).toBe(202);
    expect(JSON.parse(Buffer.from(reply.json).toString())).toEqual({ message: '202 Accepted' });
    expect(await list(ada)).not.toContain('doomed');
    const page = pageOf({ perPage: 100 });
    const visible = await shown('ProjectItem', projects(ada).listProjects({ ...allProjects, page }));
    expect(visible.map((one: { id: number }) => one.id)).not.toContain(project.id);
    await running.purge();
    const left = await running.db.query(sql`
      select 1 from namespaces where id in (${top.id}, ${child.id}) union all select 1 from projects where id = ${project.id}`);
    expect(left).toEqual([]);
    const deleted = await running.db.query<{ entity: string }>(sql`
      select distinct entity from directory_changes where deleted order by entity`);
    expect(deleted.map(({ entity }) => entity)).toEqual(expect.arrayContaining(['membership', 'namespace', 'project']));
    const events = await running.db.query<{ event_id: string }>(
      sql`select event_id from events.outbox where event_id = ${`project_deleted:${project.id}`}`,
    );
    expect(events).toHaveLength(1);
    expect(await newGroup(bob, 'doomed')).toMatchObject({ full_path: 'doomed' });
  });
});
