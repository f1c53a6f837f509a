import { sql } from '@switchyard/database/sql';
import { ForkServiceService } from '@switchyard/protos/groups_admin/v1/fork';
import { groupClients, refusal } from '../support/group-clients';
import { allProjects } from '../support/requests';
import { bodyOf, pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let root: TestUser;
let ada: TestUser;
let bob: TestUser;
let eve: TestUser;

beforeAll(async () => {
  running = await runGroups();
  root = await running.user('root', { admin: true });
  ada = await running.user('ada');
  bob = await running.user('bob');
  eve = await running.user('eve');
});
afterAll(() => running.close());

const { projects, newGroup, newProject, addMember } = groupClients(() => running);
const forks = (user: TestUser) => running.as(user, ForkServiceService);

const fork = (user: TestUser, id: number, given: object = {}) =>
  shown('Project', forks(user).forkProject({ projectId: id, namespace: '', ...given }, { project: id }));
const get = (user: TestUser, id: number) =>
  shown('Project', projects(user).getProject({ projectId: id }, { project: id }));
const link = (user: TestUser, id: number, source: number | string) =>
  shown('Project', forks(user).createForkRelation({ projectId: id, forkedFrom: String(source) }, { project: id }));
const unlink = async (user: TestUser, id: number): Promise<number> =>
  (await forks(user).deleteForkRelation({ projectId: id, ifUnmodifiedSince: undefined }, { project: id })).status;
const remove = (user: TestUser, id: number) =>
  projects(user).deleteProject({ projectId: id, ifUnmodifiedSince: undefined }, { project: id });
const update = (user: TestUser, id: number, settings: object) =>
  shown(
    'Project',
    projects(user).updateProject(
      { projectId: id, settings: { featureAccessLevels: {}, ...settings } },
      { project: id },
    ),
  );
const listed = async (user: TestUser, forksOf: number, given: object = {}): Promise<number[]> =>
  bodyOf(
    await projects(user).listProjects({
      ...allProjects,
      page: pageOf({ perPage: 100, orderBy: 'id' }),
      forksOf,
      ...given,
    }),
  ).map(({ id }: { id: number }) => id);
const relation = (id: number) =>
  running.db.one<{ source: number | null; network: number | null }>(sql`
    select forked_from_project_id as source, fork_network_id as network from projects where id = ${id}`);

let made = 0;
/** A project of Ada's that all see. */
const source = (settings: object = {}) => {
  made += 1;
  return newProject(ada, 0, `source-${made}`, { visibility: 'public', description: 'Engines', ...settings });
};

test('a fork has the name, description and features of its source and says where it is from', async () => {
  const origin = await source({
    defaultBranch: 'trunk',
    featureAccessLevels: { repository: 'enabled', issues: 'disabled', snippets: 'private' },
  });
  const made = await fork(bob, origin.id);
  expect(made).toMatchObject({
    name: origin.name,
    path_with_namespace: `bob/${origin.path}`,
    description: 'Engines',
    visibility: 'public',
    default_branch: 'trunk',
    issues_access_level: 'disabled',
    snippets_access_level: 'private',
    import_status: 'scheduled',
    forks_count: 0,
    owner: { username: 'bob' },
    permissions: { project_access: { access_level: 50 } },
    forked_from_project: {
      id: origin.id,
      path_with_namespace: `ada/${origin.path}`,
      created_at: origin.created_at,
      forks_count: 1,
      namespace: { full_path: 'ada' },
    },
  });
  expect(await get(ada, origin.id)).toMatchObject({ forks_count: 1 });
  expect(await relation(origin.id)).toEqual({ source: null, network: origin.id });
  expect(await relation(made.id)).toEqual({ source: origin.id, network: origin.id });
  const second = await fork(eve, made.id);
  expect(await relation(second.id)).toEqual({ source: made.id, network: origin.id });
  expect([await listed(root, origin.id), await listed(root, made.id)]).toEqual([[made.id], [second.id]]);
});

test('name, path, description, branch and namespace can be chosen, the namespace by id or path', async () => {
  const origin = await source();
  const group = await newGroup(bob, `forks-${origin.id}`);
  for (const namespace of [String(group.id), group.full_path]) {
    const path = `other-${made++}`;
    expect(await fork(bob, origin.id, { namespace, name: path, path, description: '', branch: 'side' })).toMatchObject({
      path_with_namespace: `${group.full_path}/${path}`,
      description: '',
      default_branch: 'side',
    });
  }
});

test('where its merge requests go is set with a fork and later, and shown of forks alone', async () => {
  const origin = await source();
  const self = async (id: number) => (await get(bob, id)).mr_default_target_self;
  const first = await fork(bob, origin.id, { mrDefaultTargetSelf: true });
  expect([first.mr_default_target_self, await self(first.id), await self(origin.id)]).toEqual([true, true, undefined]);
  const second = await fork(eve, origin.id);
  expect(second.mr_default_target_self).toBe(false);
  await update(bob, first.id, { mrDefaultTargetSelf: false });
  expect(await self(first.id)).toBe(false);
});

test.each([
  ['public', 'internal', undefined, 'internal'],
  ['public', 'public', 'private', 'private'],
  ['internal', 'public', 'public', 'internal'],
  ['private', 'public', 'public', 'private'],
] as const)('of a %s project in a %s group, %s is %s', async (own, outer, wanted, expected) => {
  const origin = await source({ visibility: own });
  const group = await newGroup(ada, `visible-${origin.id}`, { visibility: outer });
  const made = await fork(ada, origin.id, { namespace: String(group.id), visibility: wanted });
  expect(made.visibility).toBe(expected);
});

test('a fork is never made more visible than its source', async () => {
  const origin = await source({ visibility: 'internal' });
  const made = await fork(bob, origin.id);
  expect(await refusal(update(bob, made.id, { visibility: 'public' }))).toMatchObject({
    kind: 'invalid',
    message: { visibility_level: ['public is not allowed since the fork source project has lower visibility.'] },
  });
  expect(await update(bob, made.id, { visibility: 'private' })).toMatchObject({ visibility: 'private' });
});

describe('who may fork', () => {
  test.each([
    [10, 'not_found'],
    [20, undefined],
  ] as const)('a member at level %s of a private project', async (level, kind) => {
    const origin = await source({ visibility: 'private' });
    expect(
      await refusal(forks(eve).forkProject({ projectId: origin.id, namespace: '' }, { project: origin.id })),
    ).toMatchObject({
      kind: 'not_found',
    });
    await addMember(ada, { project: origin.id }, bob, level);
    const outcome = await fork(bob, origin.id).then(
      () => undefined,
      ({ kind }: { kind: string }) => kind,
    );
    expect(outcome).toBe(kind);
  });

  test.each([
    ['forking', 'disabled', 'not_found', 'not_found'],
    ['forking', 'private', 'not_found', undefined],
    ['forking', 'enabled', undefined, undefined],
    ['repository', 'disabled', 'not_found', 'not_found'],
    ['repository', 'private', 'not_found', undefined],
  ])('where %s is %s: others %s, members %s', async (feature, level, others, members) => {
    const origin = await source();
    await update(ada, origin.id, { featureAccessLevels: { [feature]: level } });
    await addMember(ada, { project: origin.id }, eve, 10);
    const outcomes = [bob, eve].map((user) =>
      fork(user, origin.id).then(
        () => undefined,
        ({ kind }: { kind: string }) => kind,
      ),
    );
    expect(await Promise.all(outcomes)).toEqual([others, members]);
  });

  test('a namespace that is unseen, or where they may not create projects, is not found', async () => {
    const origin = await source();
    const hidden = await newGroup(ada, `hidden-${origin.id}`);
    const open = await newGroup(ada, `open-${origin.id}`, { visibility: 'public' });
    for (const namespace of [String(hidden.id), open.full_path, 'nowhere', '999999']) {
      expect(await refusal(fork(bob, origin.id, { namespace }))).toMatchObject({
        kind: 'not_found',
        message: '404 Target Namespace Not Found',
      });
    }
  });
});

test('a taken name and path are refused together, also into the own namespace', async () => {
  const origin = await source();
  const conflict = {
    kind: 'conflict',
    message: { name: ['has already been taken'], path: ['has already been taken'] },
  };
  expect(await refusal(fork(ada, origin.id))).toMatchObject(conflict);
  await fork(bob, origin.id);
  expect(await refusal(fork(bob, origin.id))).toMatchObject(conflict);
  expect(await fork(ada, origin.id, { name: 'Beside', path: `beside-${origin.id}` })).toMatchObject({ name: 'Beside' });
});

test('all other problems are reported together', async () => {
  const origin = await source();
  expect(await refusal(fork(bob, origin.id, { name: '', path: 'tree', branch: '-x' }))).toMatchObject({
    kind: 'invalid',
    message: { name: expect.anything(), path: expect.anything(), branches: ['is invalid'] },
  });
  expect(await refusal(fork(bob, origin.id, { name: '', branch: 'nowhere' }))).toMatchObject({
    kind: 'invalid',
    message: { name: expect.anything(), branches: ['does not exist'] },
  });
  expect((await get(ada, origin.id)).forks_count).toBe(0);
});

test('whether a branch is there is not said to those who may not fork', async () => {
  const origin = await source({ visibility: 'private' });
  await addMember(ada, { project: origin.id }, eve, 10);
  for (const branch of ['side', 'nowhere'])
    expect(await refusal(fork(eve, origin.id, { branch }))).toMatchObject({ kind: 'not_found' });
});

test('of two forks into one place at once one is made', async () => {
  const origin = await source();
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => fork(bob, origin.id)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await get(ada, origin.id)).forks_count).toBe(1);
});

test('the source is named to those alone who see it, and its forks are listed for those alone who see them', async () => {
  const origin = await source({ visibility: 'private' });
  await addMember(ada, { project: origin.id }, bob, 20);
  const made = await fork(bob, origin.id);
  await addMember(bob, { project: made.id }, eve, 30);
  expect((await get(bob, made.id)).forked_from_project.id).toBe(origin.id);
  expect(await get(eve, made.id)).not.toHaveProperty('forked_from_project');
  expect([await listed(ada, origin.id), await listed(bob, origin.id)]).toEqual([[], [made.id]]);
  expect(await listed(bob, origin.id, { search: 'nothing of the kind' })).toEqual([]);
});

test('the number of forks follows marks, restoring and removal', async () => {
  const waiting = await runGroups({ delayDays: 7 });
  try {
    const owner = await waiting.user('owner');
    const own = groupClients(() => waiting);
    const group = await own.newGroup(owner, 'forks', { visibility: 'public' });
    const origin = await own.newProject(owner, 0, 'origin', { visibility: 'public' });
    const client = waiting.as(owner, ForkServiceService);
    const made = bodyOf(
      await client.forkProject({ projectId: origin.id, namespace: String(group.id) }, { project: origin.id }),
    );
    const count = async () =>
      bodyOf(await own.projects(owner).getProject({ projectId: origin.id }, { project: origin.id })).forks_count;
    expect(await count()).toBe(1);
    await own.projects(owner).deleteProject({ projectId: made.id, ifUnmodifiedSince: undefined }, { project: made.id });
    expect(await count()).toBe(0);
    await own.projects(owner).restoreProject({ projectId: made.id }, { project: made.id });
    expect(await count()).toBe(1);
    const events = await waiting.db.query(sql`
      select body -> 'restored' as restored from events.outbox
      where key = ${String(made.id)} and event_id like 'project_restored:%'`);
    expect(events).toEqual([{ restored: {} }]);
    await own
      .groups(owner)
      .deleteGroup(
        { groupId: group.id, permanentlyRemove: false, fullPath: '', ifUnmodifiedSince: undefined },
        { group: group.id },
      );
    expect(await count()).toBe(0);
    await own.groups(owner).restoreGroup({ groupId: group.id }, { group: group.id });
    expect(await count()).toBe(1);
    await client.deleteForkRelation({ projectId: made.id, ifUnmodifiedSince: undefined }, { project: made.id });
    expect(await count()).toBe(0);
  } finally {
    await waiting.close();
  }
});

describe('relations', () => {
  test('are removed once, for the own forks as well, and published', async () => {
    const origin = await source();
    const made = await fork(bob, origin.id);
    const below = await fork(eve, made.id);
    const long = new Date(0);
    const conditional = forks(bob).deleteForkRelation(
      { projectId: made.id, ifUnmodifiedSince: long },
      { project: made.id },
    );
    expect(await refusal(conditional)).toMatchObject({ kind: 'precondition_failed' });
    expect(await unlink(bob, made.id)).toBe(204);
    expect(await unlink(bob, made.id)).toBe(304);
    expect(await relation(made.id)).toEqual({ source: null, network: null });
    expect(await relation(below.id)).toEqual({ source: null, network: origin.id });
    expect((await get(ada, origin.id)).forks_count).toBe(0);
    const events = await running.db.query(sql`
      select body -> 'forkUnlinked' as fact from events.outbox
      where key = ${String(made.id)} and event_id like 'project_fork_unlinked:%'`);
    expect(events).toEqual([{ fact: { forkedFromProjectId: origin.id } }]);
  });

  test('are made between projects that are there; the forks below change their network', async () => {
    const origin = await source();
    const other = await newProject(bob, 0, `other-${origin.id}`, { visibility: 'public' });
    const below = await fork(eve, other.id);
    expect(await link(bob, other.id, `ada/${origin.path}`)).toMatchObject({
      import_status: 'none',
      forked_from_project: { id: origin.id },
    });
    expect(await relation(other.id)).toEqual({ source: origin.id, network: origin.id });
    expect(await relation(below.id)).toEqual({ source: other.id, network: origin.id });
    expect(await relation(origin.id)).toEqual({ source: null, network: origin.id });
    expect(await refusal(link(bob, other.id, origin.id))).toMatchObject({
      kind: 'conflict',
      message: 'Project already forked',
    });
  });

  test('are never circles', async () => {
    const origin = await source();
    const made = await fork(ada, origin.id, { name: 'B', path: `b-${origin.id}` });
    const below = await fork(ada, made.id, { name: 'C', path: `c-${origin.id}` });
    for (const id of [origin.id, made.id, below.id]) {
      expect(await refusal(link(ada, origin.id, id))).toMatchObject({
        kind: 'invalid',
        message: { forked_from_project_id: [expect.stringMatching(/^can't be/)] },
      });
    }
    const four = await Promise.all([1, 2, 3, 4].map((at) => newProject(ada, 0, `ring-${origin.id}-${at}`)));
    const ring = four.map(({ id }, at) => link(ada, id, four[(at + 1) % four.length].id));
    const outcomes = await Promise.allSettled(ring);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });

  test('are made to what is seen and may be forked', async () => {
    const origin = await source({ visibility: 'private' });
    const own = await newProject(bob, 0, `own-${origin.id}`);
    expect(await refusal(link(bob, own.id, origin.id))).toMatchObject({ kind: 'not_found' });
    expect(await refusal(link(bob, own.id, 'no/where'))).toMatchObject({ kind: 'not_found' });
    await addMember(ada, { project: origin.id }, bob, 10);
    expect(await refusal(link(bob, own.id, origin.id))).toMatchObject({ kind: 'forbidden' });
  });
});

test('forks outlive their source, and forks of forks too', async () => {
  const origin = await source();
  const made = await fork(bob, origin.id);
  const below = await fork(eve, made.id);
  await remove(ada, origin.id);
  expect(await get(bob, made.id)).not.toHaveProperty('forked_from_project');
  await running.purge();
  expect(await relation(made.id)).toEqual({ source: null, network: origin.id });
  expect(await relation(below.id)).toEqual({ source: made.id, network: origin.id });
  expect(await get(eve, below.id)).toMatchObject({ forked_from_project: { id: made.id } });
  const third = await fork(ada, made.id, { path: `third-${origin.id}`, name: 'Third' });
  expect(await relation(third.id)).toEqual({ source: made.id, network: origin.id });
  const [change] = await running.db.query<{ sequence: number }>(sql`
    select sequence from directory_changes where entity = 'project' and entity_id = ${made.id} order by sequence desc limit 1`);
  expect(change).toBeDefined();
  await remove(bob, made.id);
  await remove(eve, below.id);
  await running.purge();
  expect(await relation(below.id)).toBeUndefined();
});
