import type { Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { DirectoryTx } from '../../directory';
import type { Visibility } from '../../rules';
import type { GroupPosition } from '../domain/group-change';

/** Advisory lock of group transfers. */
const transferLock = 72707381;

const lockGroup = async (tx: Tx, id: number): Promise<void> => {
  await tx.query(sql`select id from namespaces where id = ${id} for no key update`);
};

/**
 * Lets transfers of groups follow one another: two of them, each of which has locked the tree that the other one locks
 * next, would deadlock.
 */
export async function lockTransfers(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${transferLock})`);
}

/** Locks the trees that hold these groups, top-level groups in order of id. */
export async function lockTrees(tx: Tx, groupIds: readonly number[]): Promise<void> {
  // A tree can be moved below another one while we wait for its lock: repeat until the groups at the top are locked.
  const locked = new Set<number>();
  for (;;) {
    const tops = await tx.query<{ id: number }>(sql`
      select distinct n.ancestry[1] as id from namespaces n where n.id = any(${[...groupIds]}::bigint[]) order by 1`);
    const missing = tops.map(({ id }) => id).filter((id) => !locked.has(id));
    if (missing.length === 0) return;
    await tx.query(sql`select id from namespaces where id = any(${missing}::bigint[]) order by id for no key update`);
    for (const id of missing) locked.add(id);
  }
}

/**
 * Whether a project has this path in a group: groups and projects share the names below a group. Locks the group, as a
 * change that puts a project into it does, so that of a group and a project that get one path concurrently one sees the
 * other.
 */
export async function projectHasPath(tx: Tx, groupId: number, path: string): Promise<boolean> {
  await lockGroup(tx, groupId);
  const row = await tx.one(
    sql`select 1 from projects where namespace_id = ${groupId} and lower(path) = lower(${path})`,
  );
  return row !== undefined;
}

/**
 * Whether something inside a group is open to more people than `visibility`; locks the group, so that nothing wider is
 * added.
 */
export async function hasWiderContent(tx: Tx, groupId: number, visibility: Visibility): Promise<boolean> {
  await lockGroup(tx, groupId);
  if (visibility === 'public') return false;
  const wider = visibility === 'internal' ? ['public'] : ['public', 'internal'];
  const row = await tx.one(sql`
    select 1 where exists (select from namespaces c where c.parent_id = ${groupId} and c.visibility = any(${wider}::text[]))
      or exists (select from projects p where p.namespace_id = ${groupId} and p.visibility = any(${wider}::text[]))`);
  return row !== undefined;
}

/** Whether service accounts belong to a group. */
export async function ownsServiceAccounts(tx: Tx, id: number): Promise<boolean> {
  return (await tx.one(sql`select 1 from users where service_account_group_id = ${id} limit 1`)) !== undefined;
}

/** Levels of groups below a group, itself included. */
export async function depthBelow(tx: Tx, id: number): Promise<number> {
  const row = await tx.one<{ depth: number }>(sql`
    select max(cardinality(below.ancestry)) - min(cardinality(g.ancestry)) + 1 as depth
    from namespaces g join namespaces below on below.ancestry @> array[g.id] where g.id = ${id}`);
  return row?.depth ?? 1;
}

/**
 * Gives a group another name, path or parent. Full paths, full names and ancestries of the group and of all groups
 * below it follow in one statement, whatever the number of projects in them; every full path that changes is kept as a
 * redirect (G-1-7).
 */
export async function moveGroup(tx: DirectoryTx, id: number, to: GroupPosition): Promise<void> {
  // A purge deletes marked groups without the lock of the tree. One that it deletes between this statement and the
  // insert of its redirect would violate the foreign key.
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
}
