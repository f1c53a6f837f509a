import { type Database, listPage, type PageInfo, type PageRequest } from '@switchyard/database';
import { join, named, type Sql, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import type { Viewer } from '../../directory';
import { matches, memberGroups, visibleGroups } from '../../directory';
import type { NamespaceFilter, NamespaceRow } from '../domain/namespace-row';

const columnsFor = (viewer: Viewer): Sql => sql`n.id, n.name, n.path, n.kind, n.full_path, n.parent_id,
  coalesce(n.avatar_url, holder.avatar_url) as avatar_url,
  (select root.tier from namespaces root where root.id = n.ancestry[1]) as tier,
  case when n.kind = 'user' then 1
    when ${viewer.admin}::boolean or (${memberGroups(viewer, levels.owner)}) then (
      select count(distinct m.user_id)::int from memberships m
      where m.namespace_id = any(array(select below.id from namespaces below where below.ancestry @> array[n.id]))
        and (m.expires_at is null or m.expires_at > now()))
  end as members`;

const tables = sql`namespaces n left join users holder on holder.id = n.owner_id`;
const lives = sql`not (n.ancestry && array(select d.id from namespaces d where d.marked_for_deletion_at is not null))`;

/** Namespaces the viewer may see: their own, and the groups they may see. */
const visible = (viewer: Viewer): Sql =>
  viewer.admin
    ? lives
    : sql`${lives} and (n.owner_id = ${viewer.userId}::bigint or (n.kind = 'group' and ${visibleGroups(viewer)}))`;

const orders = { id: [{ name: 'id', expression: sql`n.id`, type: 'bigint' } as const] };

/**
 * One page of the viewer's namespaces, all of them for administrators: one statement for the ids, one for what is
 * printed of them, and one capped count in offset mode. In one statement the members of every namespace that an offset
 * skips would be counted.
 */
export async function listNamespaces(
  db: Database,
  { search, ownedOnly, topLevelOnly }: NamespaceFilter,
  viewer: Viewer,
  request: PageRequest,
): Promise<{ rows: NamespaceRow[]; page: PageInfo }> {
  const mine = sql`n.owner_id = ${viewer.userId}::bigint or (${memberGroups(viewer, ownedOnly ? levels.owner : undefined)})`;
  const { rows, page } = await listPage<{ id: number }>({
    db,
    name: 'list_namespaces',
    searches: search !== '',
    select: sql`n.id`,
    from: sql`namespaces n`,
    where: [
      lives,
      ...(viewer.admin && !ownedOnly ? [] : [mine]),
      ...(search === '' ? [] : [matches(search, [sql`n.name`, sql`n.full_path`])]),
      ...(topLevelOnly ? [sql`n.parent_id is null`] : []),
    ],
    orders,
    request,
    count: true,
  });
  const ids = rows.map(({ id }) => id);
  const printed = await db.query<NamespaceRow>(
    named(
      'namespaces_by_id',
      sql`select ${columnsFor(viewer)} from ${tables} where n.id = any(${ids}::bigint[])
        order by array_position(${ids}::bigint[], n.id)`,
    ),
  );
  return { rows: printed, page };
}

/** One namespace the viewer may see, by id or full path. */
export const findNamespace = (
  db: Database,
  name: { id: number } | { path: string },
  viewer: Viewer,
): Promise<NamespaceRow | undefined> =>
  db.one<NamespaceRow>(sql`
    select ${columnsFor(viewer)} from ${tables}
    where ${'id' in name ? sql`n.id = ${name.id}::bigint` : sql`lower(n.full_path) = lower(${name.path}::text)`}
      and ${visible(viewer)}`);

/** Numbers tried for a suggestion. */
const suggestions = 20;

/**
 * Whether a path is taken below a parent (0: at the top level), and the first free name made of it and a number. Below
 * a parent only what the viewer may see counts; at the top level everything does, since taking a path there would show
 * it anyway.
 */
export async function pathTaken(
  db: Database,
  path: string,
  parentId: number,
  viewer: Viewer,
): Promise<{ exists: boolean; suggestion: string | undefined }> {
  const candidates = [path, ...Array.from({ length: suggestions }, (_, at) => `${path}${at + 1}`)];
  const parent =
    parentId === 0 ? sql`n.parent_id is null` : sql`n.parent_id = ${parentId}::bigint and ${visible(viewer)}`;
  const rows = await db.query<{ path: string }>(sql`
    select lower(n.path) as path from namespaces n
    where ${parent} and lower(n.path) in (${join(candidates.map((candidate) => sql`lower(${candidate}::text)`))})`);
  const taken = new Set(rows.map((row) => row.path));
  return {
    exists: taken.has(path.toLowerCase()),
    suggestion: candidates.slice(1).find((candidate) => !taken.has(candidate.toLowerCase())),
  };
}
