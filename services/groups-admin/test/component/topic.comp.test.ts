import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { TopicServiceService, type TopicSettings } from '@switchyard/protos/groups_admin/v1/topic';
import { groupClients, refusal } from '../support/group-clients';
import { allProjects } from '../support/requests';
import { bodyOf, pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let root: TestUser;
let ada: TestUser;

beforeAll(async () => {
  running = await runGroups();
  root = await running.user('root', { admin: true });
  ada = await running.user('ada');
});

afterAll(() => running.close());

const { groups, projects, newGroup, newProject } = groupClients(() => running);
const topics = (user?: TestUser) => running.as(user, TopicServiceService);

const everything = { page: pageOf({ perPage: 100 }), search: '', withoutProjects: false, organizationId: 1 };
const list = (given: Partial<typeof everything> = {}) =>
  shown('Topic', topics().listTopics({ ...everything, ...given }));
const names = async (given: Partial<typeof everything> = {}) =>
  (await list(given)).map(({ name }: { name: string }) => name);
const make = (name: string, given: Partial<TopicSettings> = {}) =>
  shown('Topic', topics(root).createTopic({ settings: { name, title: `The ${name}`, ...given } }));
const get = (topicId: number) => shown('Topic', topics().getTopic({ topicId }));
/** Counts of a topic by its name: all projects, and those that are not private. */
const counts = async (name: string) => {
  const row = await running.db.one<{ total: number; open: number }>(
    sql`select total_projects_count as total, non_private_projects_count as open from topics where name = ${name}`,
  );
  return row && [row.total, row.open];
};
/** Topics whose counts are not what they would be if they were counted. */
const counted = () =>
  running.db.query(sql`
    select t.name, t.total_projects_count, t.non_private_projects_count, real.total, real.open from topics t, lateral (
      select count(*)::int as total, count(*) filter (where p.visibility <> 'private')::int as open
      from project_topics pt join projects p on p.id = pt.project_id join namespaces n on n.id = p.namespace_id
      where pt.topic_id = t.id and p.marked_for_deletion_at is null
        and not exists (select from namespaces a where a.id = any(n.ancestry) and a.marked_for_deletion_at is not null)) real
    where (t.total_projects_count, t.non_private_projects_count) is distinct from (real.total, real.open)`);
afterEach(async () => expect(await counted()).toEqual([]));

const update = (id: number, settings: object) =>
  shown(
    'Project',
    projects(ada).updateProject({ projectId: id, settings: { featureAccessLevels: {}, ...settings } }, { project: id }),
  );

describe('a topic', () => {
  it('is made, shown, changed and deleted (G-4.16-1 … G-4.16-3)', async () => {
    const made = await make(' Maths ', { description: 'All of it' });
    expect(made).toEqual({
      id: expect.any(Number),
      name: 'Maths',
      title: 'The  Maths',
      description: 'All of it',
      total_projects_count: 0,
      organization_id: 1,
      avatar_url: null,
    });
    const changed = { topicId: made.id, settings: { name: 'MATHS', description: '' } };
    expect(await shown('Topic', topics(root).updateTopic(changed))).toMatchObject({ name: 'MATHS', description: null });
    expect(await get(made.id)).toMatchObject({ name: 'MATHS', title: 'The  Maths' });
    expect(await refusal(topics(root).deleteTopic({ topicId: made.id, ifUnmodifiedSince: new Date(0) }))).toMatchObject(
      { kind: 'precondition_failed' },
    );
    await topics(root).deleteTopic({ topicId: made.id, ifUnmodifiedSince: undefined });
    for (const call of [
      () => topics().getTopic({ topicId: made.id }),
      () => topics(root).updateTopic({ topicId: made.id, settings: { title: 'x' } }),
      () => topics(root).deleteTopic({ topicId: made.id, ifUnmodifiedSince: undefined }),
    ])
      expect(await refusal(call())).toEqual({ kind: 'not_found', message: '404 Not found' });
  });

  it('is refused with all that is wrong with it (G-4.16-1, G-8-7)', async () => {
    await make('engines');
    expect(await refusal(make('Engines'))).toEqual({
      kind: 'invalid',
      message: { name: ['has already been taken'] },
    });
    expect(
      await refusal(make('two\nlines', { title: ' ', description: 'x'.repeat(1_025), avatar: { file: undefined } })),
    ).toEqual({
      kind: 'invalid',
      message: {
        name: ['is invalid'],
        title: ["can't be blank"],
        description: ['is too long (maximum is 1024 characters)'],
      },
    });
    for (const name of ['', '\u2028', 'a\rb', 'a\u202eb']) expect((await refusal(make(name))).kind).toBe('invalid');
    expect((await refusal(make('x'.repeat(256), { title: 'x' }))).message).toEqual({
      name: ['is too long (maximum is 255 characters)'],
    });
    expect(await make('x'.repeat(255), { title: 'x', description: 'x'.repeat(1_024) })).toMatchObject({
      total_projects_count: 0,
    });
    const other = await make('other');
    const taken = topics(root).updateTopic({ topicId: other.id, settings: { name: 'ENGINES' } });
    expect((await refusal(taken)).message).toEqual({ name: ['has already been taken'] });
  });

  it('gets one name once, however many requests create it concurrently', async () => {
    const answers = await Promise.allSettled(['Race', 'RACE', 'race', 'rAcE'].map((name) => make(name)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of answers)
      if (one.status === 'rejected') expect(one.reason.body).toEqual({ message: { name: ['has already been taken'] } });
  });
});

describe('topics of projects', () => {
  it('are made where they are missing, in any case, in the order that was sent', async () => {
    await make('Ruby');
    const project = await newProject(ada, 0, 'gems', { topics: { names: ['zeta', 'ruby', 'Zeta', 'alpha'] } });
    expect(project).toMatchObject({ topics: ['zeta', 'Ruby', 'alpha'], tag_list: ['zeta', 'Ruby', 'alpha'] });
    expect(await update(project.id, { topics: { names: ['alpha', 'zeta'] } })).toMatchObject({
      topics: ['alpha', 'zeta'],
    });
    expect(await update(project.id, { description: 'kept' })).toMatchObject({ topics: ['alpha', 'zeta'] });
    expect(await update(project.id, { topics: { names: [] } })).toMatchObject({ topics: [] });
    expect(await counts('alpha')).toEqual([0, 0]);
    const bad = newProject(ada, 0, 'bad', { topics: { names: ['a\nb', 'x'.repeat(256)] } });
    expect((await refusal(bad)).message).toEqual({
      topics: ['is invalid', 'is too long (maximum is 255 characters)'],
    });
    expect(await counts('a\nb')).toBeUndefined();
  });

  it('count right after every change of a project', async () => {
    const group = (await newGroup(ada, 'counted', { visibility: 'public' })).id;
    const project = await newProject(ada, group, 'one', { visibility: 'public', topics: { names: ['steam'] } });
    const hidden = await newProject(ada, group, 'two', { visibility: 'private', topics: { names: ['Steam'] } });
    expect(await counts('steam')).toEqual([2, 1]);
    await update(hidden.id, { visibility: 'internal' });
    expect(await counts('steam')).toEqual([2, 2]);
    await update(hidden.id, { visibility: 'private' });
    const home = { projectId: project.id, namespace: 'ada' };
    await projects(ada).transferProject(home, { project: project.id });
    expect(await counts('steam')).toEqual([2, 1]);
    await projects(ada).deleteProject({ projectId: project.id, ifUnmodifiedSince: undefined }, { project: project.id });
    expect(await counts('steam')).toEqual([1, 0]);
    const deletion = { groupId: group, permanentlyRemove: false, fullPath: '', ifUnmodifiedSince: undefined };
    await groups(ada).deleteGroup(deletion, { group });
    expect(await counts('steam')).toEqual([0, 0]);
    // Without a delay the purge begins with the deletion; this one waits.
    await running.db.query(sql`update namespaces set marked_for_deletion_at = now() where id = ${group}`);
    await groups(ada).restoreGroup({ groupId: group });
    expect(await counts('steam')).toEqual([1, 0]);
    await groups(ada).deleteGroup(deletion, { group });
    await running.purge();
    expect(await counts('steam')).toEqual([0, 0]);
    expect(await running.db.query(sql`select from project_topics where project_id = ${project.id}`)).toEqual([]);
  });

  it('count once each when projects are made at the same time', async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        newProject(ada, 0, `same-${at}`, { topics: { names: at % 2 ? ['left', 'right'] : ['RIGHT', 'LEFT'] } }),
      ),
    );
    expect((await names({ search: 'right' })).length).toBe(1);
    const row = await running.db.one(sql`select total_projects_count as n from topics where lower(name) = 'left'`);
    expect(row).toEqual({ n: 8 });
  });

  it('filter projects by name and by id', async () => {
    await newProject(ada, 0, 'filtered', { topics: { names: ['Brass', 'wood'] } });
    await newProject(ada, 0, 'half', { topics: { names: ['brass'] } });
    const [brass] = await list({ search: 'brass' });
    const paths = async (given: Partial<typeof allProjects>) =>
      bodyOf(await projects(ada).listProjects({ ...allProjects, page: pageOf({ orderBy: 'id' }), ...given })).map(
        ({ path }: { path: string }) => path,
      );
    expect(await paths({ topics: ['BRASS'] })).toEqual(['filtered', 'half']);
    expect(await paths({ topics: ['brass', 'wood'] })).toEqual(['filtered']);
    expect(await paths({ topicId: brass.id })).toEqual(['filtered', 'half']);
    expect(await paths({ topicId: brass.id, topics: ['wood'] })).toEqual(['filtered']);
    expect(await paths({ topics: ['nothing'] })).toEqual([]);
    expect(await paths({ topicId: 999_999 })).toEqual([]);
  });
});

describe('the list', () => {
  it('is ordered by projects that are not private, then by id; a search by similarity first (G-4.16-6)', async () => {
    await newProject(ada, 0, 'l1', { visibility: 'public', topics: { names: ['listed-b', 'listed-bc'] } });
    await newProject(ada, 0, 'l2', { visibility: 'public', topics: { names: ['listed-b'] } });
    await newProject(ada, 0, 'l3', { visibility: 'private', topics: { names: ['listed-a'] } });
    const listed = async () => (await names()).filter((name: string) => name.startsWith('listed'));
    expect(await listed()).toEqual(['listed-b', 'listed-bc', 'listed-a']);
    expect(await names({ search: 'listed-bc' })).toEqual(['listed-bc']);
    expect((await names({ search: 'listed-b' }))[0]).toBe('listed-b');
    expect(await names({ search: 'li' })).toEqual([]);
    expect(await names({ organizationId: 2 })).toEqual([]);
    expect(await names({ withoutProjects: true })).not.toContain('listed-a');
  });

  it('is paged by offset and by cursor, in two statements whatever its length', async () => {
    const all = await names();
    const walk = async (keyset: boolean, search: string): Promise<string[]> => {
      const seen: string[] = [];
      let page = pageOf({ perPage: 3, keyset });
      for (;;) {
        const reply = await topics().listTopics({ ...everything, search, page });
        seen.push(...bodyOf(reply).map(({ name }: { name: string }) => name));
        if (bodyOf(reply).length < 3) return seen;
        page = keyset ? { ...page, cursor: reply.page?.nextCursor ?? '' } : { ...page, page: page.page + 1 };
        if (keyset && page.cursor === '') return seen;
      }
    };
    expect(await walk(false, '')).toEqual(all);
    expect(await walk(true, '')).toEqual(all);
    expect(await walk(true, 'listed')).toEqual(await names({ search: 'listed' }));
    const { statements } = await countStatements(() => list());
    expect(statements).toBeLessThanOrEqual(2);
  });
});

describe('merging (G-4.16-4)', () => {
  it('moves projects, none of them twice, and deletes the source', async () => {
    const both = await newProject(ada, 0, 'both', { visibility: 'public', topics: { names: ['from', 'to'] } });
    const moved = await newProject(ada, 0, 'moved', { topics: { names: ['from'] } });
    const [source] = await list({ search: 'from' });
    const target = (await list()).find(({ name }: { name: string }) => name === 'to');
    const reply = await topics(root).mergeTopics({ sourceTopicId: source.id, targetTopicId: target.id });
    expect(bodyOf(reply)).toMatchObject({ id: target.id, name: 'to', total_projects_count: 2 });
    expect(await counts('to')).toEqual([2, 1]);
    expect((await refusal(topics().getTopic({ topicId: source.id }))).kind).toBe('not_found');
    for (const { id } of [both, moved]) expect(await update(id, {})).toMatchObject({ topics: ['to'] });
    const same = topics(root).mergeTopics({ sourceTopicId: target.id, targetTopicId: target.id });
    expect(await refusal(same)).toEqual({
      kind: 'invalid',
      message: 'The source topic and the target topic are identical.',
    });
    for (const [sourceTopicId, targetTopicId] of [
      [source.id, target.id],
      [target.id, source.id],
    ] as const)
      expect(await refusal(topics(root).mergeTopics({ sourceTopicId, targetTopicId }))).toEqual({
        kind: 'not_found',
        message: '404 Not found',
      });
    expect(await counts('to')).toEqual([2, 1]);
  });
});
