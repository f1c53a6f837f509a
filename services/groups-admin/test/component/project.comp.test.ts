import { sql } from '@switchyard/database/sql';
import { groupClients, refusal } from '../support/group-clients';
import { allProjects } from '../support/requests';
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
  outsider = await running.user('outsider', { external: true });
});

afterAll(() => running.close());

const { groups, projects, newGroup, newProject, addMember } = groupClients(() => running);

const update = (user: TestUser, id: number, settings: object) =>
  shown(
    'Project',
    projects(user).updateProject(
      { projectId: id, settings: { featureAccessLevels: {}, ...settings } },
      { project: id },
    ),
  );

const list = async (user: TestUser | undefined, given: Partial<typeof allProjects> = {}): Promise<string[]> => {
  const page = pageOf({ perPage: 100, orderBy: 'id' });
  const found = await shown('ProjectItem', projects(user).listProjects({ ...allProjects, page, ...given }));
  return found.map((project: { path: string }) => project.path);
};

describe('creating', () => {
  test('in the own namespace the owner is a member and is shown', async () => {
    const project = await newProject(ada, 0, 'mine', {
      description: 'Notes',
      topics: { names: ['math', ' math ', '', 'engines', 'caf\u00e9', 'cafe\u0301'] },
    });
    expect(project).toMatchObject({
      path_with_namespace: 'ada/mine',
      name_with_namespace: 'ada / mine',
      visibility: 'private',
      topics: ['math', 'engines', 'caf\u00e9'],
      tag_list: ['math', 'engines', 'caf\u00e9'],
      default_branch: 'main',
      readme_url: null,
      owner: { username: 'ada' },
      namespace: { kind: 'user', web_url: 'https://forge.example/ada' },
      permissions: { project_access: { access_level: 50 }, group_access: null },
    });
  });

  test('a name alone gives the path, a path alone the name', async () => {
    const named = await newProject(ada, 0, '', { name: 'Analytical Engine é 2', path: undefined });
    expect(named).toMatchObject({ name: 'Analytical Engine é 2', path: 'analytical-engine-e-2' });
    expect(await newProject(ada, 0, 'only.path')).toMatchObject({ name: 'only.path', path: 'only.path' });
  });

  test('with a README its address is known', async () => {
    const project = await shown(
      'Project',
      projects(ada).createProject({
        namespaceId: 0,
        userId: 0,
        initializeWithReadme: true,
        settings: { path: 'readme', defaultBranch: 'trunk', featureAccessLevels: {} },
      }),
    );
    expect(project.readme_url).toBe('https://forge.example/ada/readme/-/blob/trunk/README.md');
  });

  test('taken names and paths are reported together', async () => {
    await newProject(ada, 0, 'taken');
    expect(await refusal(newProject(ada, 0, 'Taken'))).toEqual({
      kind: 'invalid',
      message: { name: ['has already been taken'], path: ['has already been taken'] },
    });
    expect(await refusal(newProject(ada, 0, 'taken', { name: 'Another' }))).toEqual({
      kind: 'invalid',
      message: { path: ['has already been taken'] },
    });
  });

  test('of five identical projects at once one succeeds', async () => {
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => newProject(ada, 0, 'five')));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected')
        expect(await refusal(Promise.reject(result.reason))).toMatchObject({ kind: 'invalid' });
    }
  });

  test.each(['tree', 'new', '-x', 'a b', 'x.git', ''])('the path %p is refused', async (path) => {
    expect(await refusal(newProject(ada, 0, path, { name: '?' }))).toMatchObject({ kind: 'invalid' });
  });

  test.each([
    ['noone', 50, false],
    ['owner', 40, false],
    ['owner', 50, true],
    ['maintainer', 30, false],
    ['maintainer', 40, true],
    ['developer', 20, false],
    ['developer', 30, true],
    ['administrator', 50, false],
  ])('where projects are made by %s, level %i may: %p', async (projectCreationLevel, level, may) => {
    const { id } = await newGroup(root, `made-by-${projectCreationLevel}-${level}`);
    await groups(root).updateGroup({ groupId: id, settings: { projectCreationLevel } }, { group: id });
    await addMember(root, { group: id }, bob, level);
    const creation = newProject(bob, id, 'p');
    if (may) expect(await creation).toMatchObject({ path: 'p' });
    else expect(await refusal(creation)).toMatchObject({ kind: 'forbidden' });
  });

  test('not where the caller sees nothing, nor in the namespace of another user, nor wider than the group', async () => {
    const { id } = await newGroup(ada, 'closed');
    expect(await refusal(newProject(bob, id, 'p'))).toEqual({ kind: 'not_found', message: '404 Namespace Not Found' });
    expect(await refusal(newProject(bob, ada.namespaceId, 'p'))).toMatchObject({ kind: 'forbidden' });
    expect(await refusal(newProject(ada, id, 'p', { visibility: 'public' }))).toEqual({
      kind: 'invalid',
      message: { visibility_level: ['public is not allowed in a private group.'] },
    });
  });

  test('an administrator makes one for a user', async () => {
    const project = await shown(
      'Project',
      projects(root).createProject({
        namespaceId: 0,
        userId: bob.userId,
        initializeWithReadme: false,
        settings: { name: 'For Bob', featureAccessLevels: {} },
      }),
    );
    expect(project).toMatchObject({ path_with_namespace: 'bob/for-bob', creator_id: bob.userId });
  });
});

test('only an administrator creates more projects than the limit of the namespace’s owner', async () => {
  const carl = await running.user('carl');
  await running.db.query(sql`update users set projects_limit = 1 where id = ${carl.userId}`);
  await newProject(carl, 0, 'one');
  expect(await refusal(newProject(carl, 0, 'two'))).toMatchObject({ kind: 'forbidden' });
  expect(await newProject(root, carl.namespaceId, 'two')).toMatchObject({ path_with_namespace: 'carl/two' });
});

test('the approval settings come back as they were set, each by itself', async () => {
  const { id } = await newProject(ada, 0, 'approved');
  const target = { project: id };
  const get = () => shown('ApprovalSettings', projects(ada).getApprovalSettings({ projectId: id }, target));
  const standard = {
    approvals_before_merge: 0,
    reset_approvals_on_push: true,
    disable_overriding_approvers_per_merge_request: false,
    merge_requests_author_approval: false,
    merge_requests_disable_committers_approval: false,
  };
  expect(await get()).toMatchObject(standard);
  const changes: [object, object][] = [
    [{ approvalsBeforeMerge: 2 }, { approvals_before_merge: 2 }],
    [{ resetApprovalsOnPush: false }, { reset_approvals_on_push: false }],
    [{ disableOverridingApproversPerMergeRequest: true }, { disable_overriding_approvers_per_merge_request: true }],
    [{ mergeRequestsAuthorApproval: true }, { merge_requests_author_approval: true }],
    [{ mergeRequestsDisableCommittersApproval: true }, { merge_requests_disable_committers_approval: true }],
  ];
  let expected = standard;
  for (const [change, field] of changes) {
    expected = { ...expected, ...field };
    const set = projects(ada).setApprovalSettings({ projectId: id, ...change }, target);
    expect(await shown('ApprovalSettings', set)).toMatchObject(expected);
    expect(await get()).toMatchObject(expected);
  }
  expect(
    await refusal(projects(ada).setApprovalSettings({ projectId: id, approvalsBeforeMerge: 101 }, target)),
  ).toEqual({
    kind: 'invalid',
    message: { approvals_before_merge: ['must be between 0 and 100'] },
  });
});

describe('updating', () => {
  test('every setting comes back as it was set', async () => {
    const { id } = await newProject(ada, 0, 'tuned');
    const settings = {
      name: 'Finely tuned',
      description: 'x',
      visibility: 'internal',
      defaultBranch: 'trunk',
      mergeMethod: 'ff',
      squashOption: 'always',
      onlyAllowMergeIfPipelineSucceeds: true,
      allowMergeOnSkippedPipeline: true,
      onlyAllowMergeIfAllDiscussionsAreResolved: true,
      removeSourceBranchAfterMerge: false,
      mergePipelinesEnabled: true,
      mergeTrainsEnabled: true,
      mergeTrainsSkipTrainAllowed: true,
      mergeTrainRequiredStatuses: { names: ['build', 'unit tests, slow'] },
      mergeTrainTimeout: 90,
      mergeTrainParallelCars: 3,
      mergeTrainRetries: 0,
      mergeTrainBatchSize: 7,
      mergeTrainRequiredStatusCount: 5,
      mergeTrainSettlingSeconds: 0,
      featureAccessLevels: { issues: 'disabled', snippets: 'private' },
      approvalsBeforeMerge: 2,
      mergeCommitTemplate: '%{title}',
    };
    expect(await update(ada, id, settings)).toMatchObject({
      name: 'Finely tuned',
      path: 'tuned',
      visibility: 'internal',
      default_branch: 'trunk',
      merge_method: 'ff',
      squash_option: 'always',
      only_allow_merge_if_pipeline_succeeds: true,
      allow_merge_on_skipped_pipeline: true,
      only_allow_merge_if_all_discussions_are_resolved: true,
      remove_source_branch_after_merge: false,
      merge_pipelines_enabled: true,
      merge_trains_enabled: true,
      merge_trains_skip_train_allowed: true,
      merge_train_required_statuses: ['build', 'unit tests, slow'],
      merge_train_timeout: 90,
      merge_train_parallel_cars: 3,
      merge_train_retries: 0,
      merge_train_batch_size: 7,
      merge_train_required_status_count: 5,
      merge_train_settling_seconds: 0,
      issues_enabled: false,
      issues_access_level: 'disabled',
      snippets_access_level: 'private',
      approvals_before_merge: 2,
      merge_commit_template: '%{title}',
    });
    expect(
      await update(ada, id, { mergeCommitTemplate: '', featureAccessLevels: { issues: 'enabled' } }),
    ).toMatchObject({
      merge_commit_template: null,
      issues_enabled: true,
      snippets_access_level: 'private',
    });
    // What nothing is behind is printed with its default, whatever an earlier release has stored.
    await running.db.query(sql`update projects set build_timeout = 900, lfs_enabled = false,
      feature_access_levels = feature_access_levels || '{"wiki": "disabled"}' where id = ${id}`);
    expect(await update(ada, id, {})).toMatchObject({
      build_timeout: 3600,
      lfs_enabled: true,
      wiki_access_level: 'enabled',
      wiki_enabled: true,
    });
  });

  test('a new path leaves a redirect behind', async () => {
    const { id } = await newProject(ada, 0, 'before');
    expect(await update(ada, id, { path: 'after' })).toMatchObject({
      path_with_namespace: 'ada/after',
      name: 'before',
    });
    const [redirect] = await running.db.query(sql`select project_id from redirect_routes where path = 'ada/before'`);
    expect(redirect).toEqual({ project_id: id });
  });

  test('archive, transfer, delete', async () => {
    const { id } = await newProject(ada, 0, 'traveller');
    const archive = (archived: boolean) =>
      shown('Project', projects(ada).archiveProject({ projectId: id, archived }, { project: id }));
    expect(await archive(true)).toMatchObject({ archived: true });
    expect(await archive(false)).toMatchObject({ archived: false });
    const group = await newGroup(ada, 'harbour');
    const transfer = (namespace: string) =>
      shown('Project', projects(ada).transferProject({ projectId: id, namespace }, { project: id }));
    expect(await transfer('harbour')).toMatchObject({ path_with_namespace: 'harbour/traveller' });
    expect(await refusal(transfer(String(group.id)))).toMatchObject({ kind: 'invalid' });
    expect(await refusal(transfer('nowhere'))).toMatchObject({ kind: 'not_found' });
    expect(await transfer('ada')).toMatchObject({
      path_with_namespace: 'ada/traveller',
      permissions: { project_access: { access_level: 50 } },
    });
    const reply = await projects(ada).deleteProject({ projectId: id, ifUnmodifiedSince: undefined }, { project: id });
    expect([reply.status, JSON.parse(Buffer.from(reply.json).toString())]).toEqual([202, { message: '202 Accepted' }]);
    expect(await list(ada)).not.toContain('traveller');
    await running.purge();
    expect(await running.db.query(sql`select 1 from projects where id = ${id}`)).toEqual([]);
  });
});

describe('listing', () => {
  let group: number;
  let subgroup: number;

  beforeAll(async () => {
    group = (await newGroup(root, 'shelf', { visibility: 'public' })).id;
    subgroup = (await newGroup(root, 'lower', { parentId: group })).id;
    await newProject(root, group, 'open-book', { visibility: 'public', topics: { names: ['paper'] } });
    await newProject(root, group, 'inside-book', { visibility: 'internal' });
    const secret = await newProject(root, group, 'secret-book', { visibility: 'private' });
    await newProject(root, subgroup, 'lower-book', { visibility: 'public', description: 'a volume of poems' });
    await addMember(root, { project: secret.id }, bob, 30);
    const archived = await newProject(root, group, 'old-book', { visibility: 'public' });
    await projects(root).archiveProject({ projectId: archived.id, archived: true }, { project: archived.id });
  });

  const inGroup = (user: TestUser | undefined, given: Partial<typeof allProjects> = {}) =>
    list(user, { groupId: group, ...given });

  test('each sees what is open to them', async () => {
    expect(await inGroup(undefined)).toEqual(['open-book', 'old-book']);
    expect(await inGroup(outsider)).toEqual(['open-book', 'old-book']);
    expect(await inGroup(ada)).toEqual(['open-book', 'inside-book', 'old-book']);
    expect(await inGroup(bob)).toEqual(['open-book', 'inside-book', 'secret-book', 'old-book']);
    expect(await inGroup(root)).toEqual(['open-book', 'inside-book', 'secret-book', 'old-book']);
  });

  test.each([
    [{ includeSubgroups: true, archived: false }, ['open-book', 'inside-book', 'secret-book', 'lower-book']],
    [{ archived: true }, ['old-book']],
    [{ active: true }, ['open-book', 'inside-book', 'secret-book']],
    [{ visibility: 'private' }, ['secret-book']],
    [{ membership: true }, ['secret-book']],
    [{ minAccessLevel: 30 }, ['secret-book']],
    [{ minAccessLevel: 40 }, []],
    [{ owned: true }, []],
    [{ starred: true }, []],
    [{ topics: ['paper'] }, ['open-book']],
    [{ search: 'SECRET' }, ['secret-book']],
    [{ search: 'poems', includeSubgroups: true }, ['lower-book']],
    [{ search: 'shelf/open', searchNamespaces: true }, ['open-book']],
    [{ search: 'shelf/open' }, []],
    [{ lastActivityAfter: new Date('2100-01-01') }, []],
    [{ updatedBefore: new Date('2100-01-01'), visibility: 'internal' }, ['inside-book']],
  ])('filters by %j', async (given, expected) => {
    expect(await inGroup(bob, given)).toEqual(expected);
  });

  test('those of the groups above, and those of a user', async () => {
    expect(await list(bob, { groupId: subgroup, includeAncestorGroups: true, archived: false })).toEqual([
      'open-book',
      'inside-book',
      'secret-book',
      'lower-book',
    ]);
    expect(await list(bob, { user: 'BOB' })).toEqual(['for-bob']);
    expect(await list(bob, { user: String(bob.userId) })).toEqual(['for-bob']);
    expect(await list(ada, { user: 'bob' })).toEqual([]);
    expect(await refusal(list(ada, { user: 'nobody' }))).toEqual({ kind: 'not_found', message: '404 User Not Found' });
  });

  test('the simple form is for those who ask for it and for anonymous callers', async () => {
    const page = pageOf({ perPage: 1 });
    const [simple] = await shown('ProjectSimple', projects(bob).listProjects({ ...allProjects, simple: true, page }));
    expect(simple).not.toHaveProperty('_links');
    const [full] = await shown('ProjectFull', projects(bob).listProjects({ ...allProjects, page }));
    expect(full).toHaveProperty('permissions');
    await shown('ProjectSimple', projects().listProjects({ ...allProjects, page }));
  });

  test.each(['id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at', 'star_count', 'similarity'])(
    'pages by %s meet every project once, in both modes and directions',
    async (orderBy) => {
      const everything = (await list(root)).length;
      for (const descending of [false, true]) {
        const walk = async (keyset: boolean): Promise<number[]> => {
          const seen: number[] = [];
          let page = pageOf({ keyset, perPage: 7, orderBy, descending });
          for (;;) {
            const reply = await projects(root).listProjects({ ...allProjects, page });
            seen.push(...JSON.parse(Buffer.from(reply.json).toString()).map((project: { id: number }) => project.id));
            if (reply.page?.hasNext !== true) return seen;
            page = keyset ? { ...page, cursor: reply.page.nextCursor } : { ...page, page: page.page + 1 };
          }
        };
        const [byOffset, byCursor] = [await walk(false), await walk(true)];
        expect(byCursor).toEqual(byOffset);
        expect(new Set(byCursor).size).toBe(everything);
      }
    },
  );

  test('an id says where a page by id goes on', async () => {
    const ids = (
      await shown('ProjectItem', projects(root).listProjects({ ...allProjects, page: pageOf({ orderBy: 'id' }) }))
    ).map((project: { id: number }) => project.id);
    const after = await shown(
      'ProjectItem',
      projects(root).listProjects({
        ...allProjects,
        idAfter: ids[2],
        page: pageOf({ orderBy: 'id', keyset: true, perPage: 2 }),
      }),
    );
    expect(after.map((project: { id: number }) => project.id)).toEqual(ids.slice(3, 5));
  });
});
