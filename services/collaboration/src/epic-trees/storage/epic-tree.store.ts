import type { SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import {
  checkIssuePlacement,
  checkPlacement,
  type IssuePlacement,
  maxLevels,
  type Placement,
} from '../domain/placement';

/** Room between two neighbours, so that a move writes one row. */
const gap = 1_024;

/** Its notices wake those who compute the dates of epics, in all processes. */
export const datesChannel = 'switchyard_epic_dates';

/**
 * Locks what epics are parts of, for all of them, until the end of the transaction. Changes of parents, of the issues of
 * epics and of what is confidential among these take it first, before any row: two moves at once could otherwise close
 * a circle that neither sees, and they would wait for each other. A lock for each tree would have to follow the tree
 * when it is joined to another.
 */
export async function lockTrees(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtext('epic trees'))`);
  tx.notify(datesChannel);
}

async function placementOf(tx: SqlExecutor, epicId: number, parentId: number): Promise<Placement | undefined> {
  // One level more than there may be, so that a tree that has become too deep by other means is noticed, and bounded.
  const [row] = await tx.query<Placement>(sql`
    with recursive up as (
      select id, parent_id, 1 as level from epics where id = ${parentId}
      union all select e.id, e.parent_id, up.level + 1 from up join epics e on e.id = up.parent_id where up.level <= ${maxLevels}),
    down as (
      select id, 1 as level from epics where id = ${epicId}
      union all select e.id, down.level + 1 from down join epics e on e.parent_id = down.id where down.level <= ${maxLevels})
    select child.id = parent.id as self, exists (select 1 from up where id = child.id) as cycle,
      (select max(level) from up) as "levelsAbove", (select max(level) from down) as height,
      home.ancestry[1] = above.ancestry[1] as "sameRoot", parent.confidential as "parentConfidential", child.confidential,
      (select count(*)::int from epics e where e.parent_id = parent.id and e.id <> child.id) as siblings
    from epics child join directory.namespaces home on home.id = child.group_id,
      epics parent join directory.namespaces above on above.id = parent.group_id
    where child.id = ${epicId} and parent.id = ${parentId}`);
  return row;
}

/**
 * Puts an epic below another one, last among its children, or below none. The trees are locked.
 * @throws AppError not_found, invalid
 */
export async function placeEpic(tx: Tx, epicId: number, parentId: number | undefined): Promise<void> {
  if (parentId !== undefined) {
    const placement = await placementOf(tx, epicId, parentId);
    if (placement === undefined) throw notFound();
    checkPlacement(placement);
  }
  await tx.query(sql`
    update epics set parent_id = ${parentId ?? null}, relative_position =
      (select coalesce(max(other.relative_position), 0) + ${gap} from epics other where other.parent_id = ${parentId ?? null}::bigint)
    where id = ${epicId} and parent_id is distinct from ${parentId ?? null}::bigint`);
}

/** The link of an issue to its epic. */
export interface EpicIssueLink {
  readonly id: number;
  readonly epicId: number;
  readonly issueId: number;
  readonly relativePosition: number;
}

const linkColumns = sql`id, epic_id as "epicId", issue_id as "issueId", relative_position as "relativePosition"`;

/**
 * Makes an issue part of an epic, last among its issues, or of none. The trees are locked. Undefined when it is part of
 * none afterwards.
 * @throws AppError not_found, invalid
 */
export async function placeIssue(
  tx: Tx,
  issueId: number,
  epicId: number | undefined,
): Promise<EpicIssueLink | undefined> {
  if (epicId === undefined) {
    await tx.query(sql`delete from epic_issues where issue_id = ${issueId}`);
    return undefined;
  }
  const [placement] = await tx.query<IssuePlacement>(sql`
    select home.ancestry[1] = above.ancestry[1] as "sameRoot", e.confidential as "epicConfidential",
      i.confidential as "issueConfidential"
    from issues i join directory.projects p on p.id = i.project_id join directory.namespaces home on home.id = p.namespace_id,
      epics e join directory.namespaces above on above.id = e.group_id
    where i.id = ${issueId} and e.id = ${epicId}`);
  if (placement === undefined) throw notFound();
  checkIssuePlacement(placement);
  const [link] = await tx.query<EpicIssueLink>(sql`
    insert into epic_issues as link (epic_id, issue_id, relative_position)
    select ${epicId}, ${issueId}, coalesce(max(relative_position), 0) + ${gap} from epic_issues where epic_id = ${epicId}
    on conflict (issue_id) do update set epic_id = excluded.epic_id, relative_position = excluded.relative_position
    returning ${linkColumns}`);
  return link;
}

/** The link of an issue, or that of an id; undefined when there is none. */
export async function findLink(
  db: SqlExecutor,
  key: { readonly issueId: number } | { readonly id: number },
): Promise<EpicIssueLink | undefined> {
  const [link] = await db.query<EpicIssueLink>(sql`
    select ${linkColumns} from epic_issues where ${'id' in key ? sql`id = ${key.id}` : sql`issue_id = ${key.issueId}`}`);
  return link;
}

/** What is ordered by hand: the issues of an epic, or its child epics. */
const ordered = {
  issues: { table: sql`epic_issues`, owner: sql`epic_id` },
  epics: { table: sql`epics`, owner: sql`parent_id` },
} as const;

/** Where a row is to stand: behind one of its neighbours, and before the other one. */
export interface Neighbours {
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

/**
 * Moves a row between others of the same epic; false when a neighbour is the row itself or belongs elsewhere, and when
 * what it is to stand behind does not stand before what it is to stand before. The trees
 * are locked. Where there is no room left all rows of the epic get new places, in one statement.
 */
export async function reorder(
  tx: Tx,
  kind: keyof typeof ordered,
  epicId: number,
  id: number,
  { after, before }: Neighbours,
): Promise<boolean> {
  const { table, owner } = ordered[kind];
  const wanted = [after, before].filter((one) => one !== undefined);
  if (wanted.includes(id)) return false;
  const rows = await tx.query<{ id: number }>(
    sql`select id from ${table} where ${owner} = ${epicId} and id = any(${[id, ...wanted]}::bigint[])
      order by relative_position, id`,
  );
  if (rows.length !== 1 + wanted.length) return false;
  const place = (one: number | undefined): number => rows.findIndex((row) => row.id === one);
  if (wanted.length > 1 && place(after) > place(before)) return false;
  const anchor = (after ?? before) as number;
  await tx.query(sql`
    with others as (
      select id, row_number() over (order by relative_position, id) as place from ${table} where ${owner} = ${epicId} and id <> ${id}),
    target as (select place + ${after === undefined ? sql`-0.5` : sql`0.5`} as place from others where id = ${anchor}),
    placed as (
      select id, row_number() over (order by place) * ${gap}::int as position
      from (select id, place from others union all select ${id}, place from target) as all_rows)
    update ${table} moved set relative_position = placed.position from placed
    where moved.id = placed.id and moved.relative_position is distinct from placed.position`);
  return true;
}

/**
 * True where an epic is confidential and something below it is not: an issue or a child epic. Asked after the change,
 * in its transaction; the trees are locked.
 */
export async function showsConfidential(tx: SqlExecutor, { epicId, issueId }: { epicId?: number; issueId?: number }) {
  const [row] = await tx.query<{ found: boolean }>(sql`
    select exists (
      select 1 from epic_issues link join epics e on e.id = link.epic_id and e.confidential
      join issues i on i.id = link.issue_id and not i.confidential
      where link.epic_id = ${epicId ?? null} or link.issue_id = ${issueId ?? null})
    or exists (
      select 1 from epics child join epics e on e.id = child.parent_id
      where e.confidential and not child.confidential and (child.id = ${epicId ?? null} or e.id = ${epicId ?? null})) as found`);
  return row?.found === true;
}
