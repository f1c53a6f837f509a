import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { accessRequestStore } from '../../src/access-requests/storage/access-request.store';
import { listGroups } from '../../src/groups/storage/group.list';
import { moveGroup } from '../../src/groups/storage/group-tree';
import { listTransferLocations } from '../../src/groups/storage/transfer-location.list';
import { labelStore } from '../../src/labels/storage/label.store';
import { memberStore } from '../../src/members/storage/member.store';
import { milestoneStore } from '../../src/milestones/storage/milestone.store';
import { listProjects } from '../../src/projects/storage/project.list';
import { topicStore } from '../../src/topics/storage/topic.store';
import { listUsers } from '../../src/users/storage/user.list';
import { type RunningGroups, runGroups, type TestUser } from '../support/running-groups';
import { writerOf } from '../support/writer';

let running: RunningGroups;
let ada: TestUser;
let group: number;

const page = { mode: 'offset', page: 1, perPage: 100, sort: 'asc' } as const;
const viewer = () => ({ userId: ada.userId, admin: false, external: false });

/** Adds `count` groups, projects, members, labels and milestones to the group. */
async function fill(from: number, count: number): Promise<void> {
  const { db } = running;
  const numbers = Array.from({ length: count }, (_, at) => from + at);
  await db.query(sql`
    with drawn as (
      select nextval(pg_get_serial_sequence('namespaces', 'id')) as id, number from unnest(${numbers}::int[]) as given (number))
    insert into namespaces (id, kind, name, path, parent_id, ancestry, full_path, full_name)
    select drawn.id, 'group', 'g' || number, 'g' || number, p.id, p.ancestry || drawn.id, p.full_path || '/g' || number,
      p.full_name || ' / g' || number from drawn, namespaces p where p.id = ${group}`);
  await db.query(
    sql`insert into projects (namespace_id, name, path) select ${group}, 'p' || number, 'p' || number from unnest(${numbers}::int[]) as given (number)`,
  );
  await db.query(sql`
    with made as (
      insert into users (username, name, email) select 'u' || number, 'U', 'u' || number || '@example.com'
      from unnest(${numbers}::int[]) as given (number) returning id),
    asked as (insert into access_requests (user_id, namespace_id) select id, ${group} from made)
    insert into memberships (user_id, namespace_id, access_level) select id, ${group}, 30 from made`);
  await db.query(
    sql`insert into labels (namespace_id, title, color) select ${group}, 'l' || number, '#000000' from unnest(${numbers}::int[]) as given (number)`,
  );
  // Each of the groups is invited to the group, which is invited to each of them and to each of the projects.
  const below = sql`select id from namespaces where parent_id = ${group}`;
  await db.query(sql`
    insert into group_shares (namespace_id, project_id, group_id, access_level)
    select ${group}::bigint, null::bigint, id, 20 from (${below}) g union all select id, null, ${group}, 20 from (${below}) g
    union all select null, id, ${group}, 20 from projects where namespace_id = ${group}
    on conflict do nothing`);
  await db.query(
    sql`insert into topics (name, title) select 't' || number, 't' from unnest(${numbers}::int[]) as given (number)`,
  );
  await db.query(
    sql`insert into milestones (namespace_id, iid, title) select ${group}, number, 'm' || number from unnest(${numbers}::int[]) as given (number)`,
  );
}

/** A project that lies elsewhere. */
async function strayProject(): Promise<number> {
  const row = await running.db.one<{ id: number }>(
    sql`insert into projects (namespace_id, name, path) values (${ada.namespaceId}, 'stray', 'stray') returning id`,
  );
  return row?.id ?? 0;
}

/** A group that lies elsewhere. */
async function strayGroup(): Promise<number> {
  const row = await running.db.one<{ id: number }>(sql`
    with drawn as (select nextval(pg_get_serial_sequence('namespaces', 'id')) as id)
    insert into namespaces (id, kind, name, path, ancestry, full_path, full_name)
    select id, 'group', 'stray', 'stray', array[id], 'stray', 'stray' from drawn returning id`);
  return row?.id ?? 0;
}

beforeAll(async () => {
  running = await runGroups();
  ada = await running.user('ada');
  const row = await running.db.one<{ id: number }>(sql`
    with drawn as (select nextval(pg_get_serial_sequence('namespaces', 'id')) as id)
    insert into namespaces (id, kind, name, path, ancestry, full_path, full_name)
    select id, 'group', 'top', 'top', array[id], 'top', 'top' from drawn returning id`);
  group = row?.id ?? 0;
  await running.db.query(
    sql`insert into memberships (user_id, namespace_id, access_level) values (${ada.userId}, ${group}, 50)`,
  );
});

afterAll(() => running.close());

test('every list takes two statements, at two rows and at a hundred', async () => {
  const { db } = running;
  const parent = { kind: 'group', id: group } as const;
  const byName = { ...page, orderBy: 'name' };
  const moving = {
    project: { kind: 'project', id: await strayProject() },
    group: { kind: 'group', id: await strayGroup() },
  } as const;
  const lists: Record<string, () => Promise<{ rows: readonly object[] }>> = {
    'groups with statistics': () =>
      listGroups(
        db,
        { ...viewer(), admin: true },
        { allAvailable: true, extras: { statistics: true, customAttributes: true } },
        { ...page, orderBy: 'name' },
      ),
    'projects with statistics': () =>
      listProjects(db, viewer(), {}, { ...page, orderBy: 'created_at' }, { statistics: true, customAttributes: true }),
    'users with custom attributes': () =>
      listUsers(db, { searchPrivateEmail: false, withCustomAttributes: true }, { ...page, orderBy: 'id' }, 0),
    groups: () => listGroups(db, viewer(), { allAvailable: true }, { ...page, orderBy: 'name' }),
    'transfer locations of a project': () => listTransferLocations(db, viewer(), moving.project, undefined, byName),
    'transfer locations of a group': () => listTransferLocations(db, viewer(), moving.group, undefined, byName),
    projects: () => listProjects(db, viewer(), {}, { ...page, orderBy: 'created_at' }),
    members: () =>
      memberStore(db, writerOf(db), 'ultimate').list(
        parent,
        { inherited: true, searchPrivateEmail: false },
        { ...page, orderBy: 'id' },
      ),
    'groups shared with it': () =>
      listGroups(db, viewer(), { allAvailable: true, sharedWith: group }, { ...page, orderBy: 'name' }),
    'groups invited': () =>
      listGroups(
        db,
        viewer(),
        { allAvailable: true, invitedTo: { source: parent, direct: true, inherited: true } },
        { ...page, orderBy: 'id' },
      ),
    'projects shared with it': () =>
      listProjects(
        db,
        viewer(),
        { group: { id: group, below: false, above: false, shared: 'only' } },
        { ...page, orderBy: 'created_at' },
      ),
    access_requests: () => accessRequestStore(db, writerOf(db), 'ultimate').list(parent, { ...page, orderBy: 'id' }),
    labels: () =>
      labelStore(db, writerOf(db)).list(
        parent,
        { above: true, below: true, ofProjects: true, viewer: viewer() },
        { ...page, orderBy: 'title' },
      ),
    topics: () => topicStore(db, writerOf(db)).list({ organizationId: 1 }, { ...page, orderBy: 'projects' }),
    milestones: () =>
      milestoneStore(db, writerOf(db)).list(
        parent,
        { above: true, below: true, viewer: viewer() },
        { ...page, orderBy: 'due_date' },
      ),
  };
  for (const [from, count] of [
    [1, 2],
    [3, 98],
  ] as const) {
    await fill(from, count);
    for (const [name, list] of Object.entries(lists)) {
      const { result, statements } = await countStatements(list);
      expect([name, statements]).toEqual([name, 2]);
      expect(result.rows.length).toBeGreaterThanOrEqual(Math.min(from + count - 1, 100));
    }
  }
});

test('renaming a group with ten thousand projects touches namespaces alone, in two statements', async () => {
  const { db } = running;
  await db.query(sql`
    insert into projects (namespace_id, name, path) select ${group}, 'many' || n, 'many' || n from generate_series(1, 10000) n`);
  const { statements } = await writerOf(db).transaction((tx) =>
    countStatements(() => moveGroup(tx, group, { name: 'renamed', path: 'renamed', parentId: undefined })),
  );
  // One that locks what moves, one that moves it.
  expect(statements).toBe(2);
  const changed = await db.query<{ entity: string }>(sql`
    select entity from directory_changes where created_at = (select max(created_at) from directory_changes)`);
  expect(changed).toEqual(Array.from({ length: 101 }, () => ({ entity: 'namespace' })));
  const [untouched] = await db.query<{ count: number }>(
    sql`select count(*) as count from projects where namespace_id = ${group} and updated_at > created_at`,
  );
  expect(untouched?.count).toBe(0);
});
