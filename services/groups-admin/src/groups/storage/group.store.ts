import type { Database, PageRequest, SqlExecutor, Tx } from '@switchyard/database';
import { join, named, sql } from '@switchyard/database/sql';
import type { DirectoryTx, Viewer } from '../../directory';
import { visibleGroups } from '../../directory';
import type { Visibility } from '../../rules';
import type { GroupSettings } from '../domain/group';
import type { GroupFilter, GroupRow, NewGroup } from '../domain/group-row';
import { groupColumns } from './group.columns';
import { listGroups } from './group.list';

const find = async (tx: SqlExecutor, id: number): Promise<GroupRow | undefined> => {
  const [row] = await tx.query<GroupRow>(
    named('group', sql`select ${groupColumns} from namespaces n where n.id = ${id} and n.kind = 'group'`),
  );
  return row;
};

const lock = async (tx: Tx, id: number): Promise<void> => {
  await tx.query(sql`select id from namespaces where id = ${id} for no key update`);
};

/** Advisory lock of group transfers. */
const movesLock = 72707381;

/**
 * Groups in the database. A change of a tree locks its top-level group first, so that full paths are never computed from a path that is
 * changing.
 */
export const groupStore = (db: Database) => ({
  /** A page of groups the viewer may see. */
  list: (viewer: Viewer, filter: GroupFilter, request: PageRequest) => listGroups(db, viewer, filter, request),

  /** One group, marked or not. */
  find: (id: number): Promise<GroupRow | undefined> => find(db, id),

  /** Id of a group that is itself marked for deletion, by id or full path; 0 for none. */
  async findMarked(idOrPath: string): Promise<number> {
    const found = /^\d{1,15}$/.test(idOrPath)
      ? sql`n.id = ${Number(idOrPath)}`
      : sql`lower(n.full_path) = lower(${idOrPath})`;
    const row = await db.one<{ id: number }>(
      sql`select n.id from namespaces n where ${found} and n.kind = 'group' and n.marked_for_deletion_at is not null`,
    );
    return row?.id ?? 0;
  },

  /** Effective level of a user in a group, 0 when none. */
  async levelOf(groupId: number, userId: number, tx: SqlExecutor = db): Promise<number> {
    const [row] = await tx.query<{ level: number }>(sql`
      select coalesce(max(m.access_level), 0) as level from namespaces n
      join memberships m on m.namespace_id = any(n.ancestry)
      where n.id = ${groupId} and m.user_id = ${userId} and (m.expires_at is null or m.expires_at > now())`);
    return row?.level ?? 0;
  },

  /** Whether a user may make top-level groups. */
  async mayCreateTopLevel(tx: SqlExecutor, userId: number): Promise<boolean> {
    const [row] = await tx.query<{ may: boolean }>(
      sql`select can_create_group and not external as may from users where id = ${userId}`,
    );
    return row?.may ?? false;
  },

  /** Lets transfers of groups follow one another: two of them, each holding the tree the other wants next, would end in a deadlock. */
  async lockMoves(tx: Tx): Promise<void> {
    await tx.query(sql`select pg_advisory_xact_lock(${movesLock})`);
  },

  /** Locks the trees that hold these groups, top-level groups in order of id. */
  async lockTrees(tx: Tx, groupIds: readonly number[]): Promise<void> {
    // A tree can be moved below another one while we wait for its lock: look again until what is locked is what is at the top.
    const locked = new Set<number>();
    for (;;) {
      const tops = await tx.query<{ id: number }>(sql`
        select distinct n.ancestry[1] as id from namespaces n where n.id = any(${[...groupIds]}::bigint[]) order by 1`);
      const missing = tops.map(({ id }) => id).filter((id) => !locked.has(id));
      if (missing.length === 0) return;
      await tx.query(sql`select id from namespaces where id = any(${missing}::bigint[]) order by id for no key update`);
      for (const id of missing) locked.add(id);
    }
  },

  /** A group inside a transaction that has locked its tree. */
  findIn: find,

  /** A group the viewer may see, inside a transaction. */
  findVisible: (tx: Tx, id: number, viewer: Viewer): Promise<GroupRow | undefined> =>
    tx.one<GroupRow>(
      sql`select ${groupColumns} from namespaces n where n.id = ${id} and n.kind = 'group' and ${visibleGroups(viewer)}`,
    ),

  /**
   * Whether a project has this path in a group: groups and projects share the names below a group. Locks the group, as a change that
   * puts a project into it does, so that of a group and a project that want one path at once one sees the other.
   */
  async projectHasPath(tx: Tx, groupId: number, path: string): Promise<boolean> {
    await lock(tx, groupId);
    const row = await tx.one(
      sql`select 1 from projects where namespace_id = ${groupId} and lower(path) = lower(${path})`,
    );
    return row !== undefined;
  },

  /** Whether something inside a group is open to more people than `visibility`; locks the group, so that nothing wider comes in meanwhile. */
  async hasWiderContent(tx: Tx, groupId: number, visibility: Visibility): Promise<boolean> {
    await lock(tx, groupId);
    if (visibility === 'public') return false;
    const wider = visibility === 'internal' ? ['public'] : ['public', 'internal'];
    const row = await tx.one(sql`
      select 1 where exists (select from namespaces c where c.parent_id = ${groupId} and c.visibility = any(${wider}::text[]))
        or exists (select from projects p where p.namespace_id = ${groupId} and p.visibility = any(${wider}::text[]))`);
    return row !== undefined;
  },

  /** Inserts a group below its parent; a unique violation of `namespaces_full_path` when the path is taken. */
  async insert(tx: DirectoryTx, group: NewGroup): Promise<number> {
    const [row] = await tx.write(
      'namespace',
      sql`
      with drawn as (select nextval(pg_get_serial_sequence('namespaces', 'id')) as id)
      insert into namespaces
        (id, kind, name, path, parent_id, ancestry, full_path, full_name, visibility, description, creator_id, settings)
      select drawn.id, 'group', ${group.name}::text, ${group.path}::text, parent.id,
        coalesce(parent.ancestry, '{}') || drawn.id,
        coalesce(parent.full_path || '/', '') || ${group.path}::text,
        coalesce(parent.full_name || ' / ', '') || ${group.name}::text,
        ${group.visibility}, ${group.description}, ${group.creatorId}, ${JSON.stringify(group.settings)}::jsonb
      from drawn left join namespaces parent on parent.id = ${group.parentId ?? null}::bigint
      returning id`,
    );
    if (row === undefined) throw new Error('a group was not inserted');
    return row.id;
  },

  /** Changes what does not touch paths. */
  async change(
    tx: DirectoryTx,
    id: number,
    given: { visibility?: Visibility; description?: string; settings: Partial<GroupSettings>; tier?: string | null },
  ): Promise<void> {
    const sets = [sql`updated_at = now()`, sql`settings = settings || ${JSON.stringify(given.settings)}::jsonb`];
    if (given.visibility !== undefined) sets.push(sql`visibility = ${given.visibility}`);
    if (given.description !== undefined) sets.push(sql`description = ${given.description}`);
    if (given.tier !== undefined) sets.push(sql`tier = ${given.tier}`);
    await tx.write('namespace', sql`update namespaces set ${join(sets)} where id = ${id} returning id`);
  },

  /**
   * Gives a group a new place: name, path, parent. Full paths, full names and ancestries of the group and of all groups below it
   * follow in one statement, whatever the number of projects in them; every full path that changes is kept as a redirect (G-1-7).
   */
  async move(
    tx: DirectoryTx,
    id: number,
    to: { name: string; path: string; parentId: number | undefined },
  ): Promise<void> {
    // A purge takes what is marked below without the tree's lock: gone between the look at it and its redirect, it would break the key.
    await tx.query(sql`select id from namespaces where ancestry @> array[${id}::bigint] order by id for no key update`);
    await tx.write(
      'namespace',
      sql`
      with place as (
        select g.id, g.full_path as old_path, g.full_name as old_name, cardinality(g.ancestry) as old_depth,
          coalesce(parent.full_path || '/', '') || ${to.path}::text as new_path,
          coalesce(parent.full_name || ' / ', '') || ${to.name}::text as new_name,
          coalesce(parent.ancestry, '{}') as above
        from namespaces g left join namespaces parent on parent.id = ${to.parentId ?? null}::bigint
        where g.id = ${id}),
      redirected as (
        insert into redirect_routes (path, namespace_id)
        select lower(n.full_path), n.id from namespaces n, place
        where n.ancestry @> array[place.id] and lower(place.old_path) <> lower(place.new_path)
        on conflict (path) do update set namespace_id = excluded.namespace_id, project_id = null, created_at = now())
      update namespaces n set
        full_path = place.new_path || substr(n.full_path, length(place.old_path) + 1),
        full_name = place.new_name || substr(n.full_name, length(place.old_name) + 1),
        ancestry = place.above || n.ancestry[place.old_depth:],
        name = case when n.id = place.id then ${to.name}::text else n.name end,
        path = case when n.id = place.id then ${to.path}::text else n.path end,
        parent_id = case when n.id = place.id then ${to.parentId ?? null}::bigint else n.parent_id end,
        updated_at = now()
      from place where n.ancestry @> array[place.id]
      returning n.id`,
    );
  },

  /** Levels of groups below a group, itself included. */
  async depthBelow(tx: Tx, id: number): Promise<number> {
    const row = await tx.one<{ depth: number }>(sql`
      select max(cardinality(below.ancestry)) - min(cardinality(g.ancestry)) + 1 as depth
      from namespaces g join namespaces below on below.ancestry @> array[g.id] where g.id = ${id}`);
    return row?.depth ?? 1;
  },

  /** Sets or takes off the mark of deletion; false when it was so already. */
  async mark(tx: DirectoryTx, id: number, marked: boolean): Promise<boolean> {
    const rows = await tx.write(
      'namespace',
      sql`update namespaces set marked_for_deletion_at = ${marked ? sql`now()` : sql`null`}, updated_at = now()
      where id = ${id} and (marked_for_deletion_at is null) = ${marked} returning id`,
    );
    return rows.length > 0;
  },

  /** Makes the purge of a marked group due at once. */
  async hasten(tx: DirectoryTx, id: number): Promise<void> {
    await tx.writeHidden(sql`update namespaces set marked_for_deletion_at = to_timestamp(0) where id = ${id}`);
  },
});
