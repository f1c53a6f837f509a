import type { SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { groupByPath, type Viewer } from '@switchyard/directory';
import type { EpicName } from '@switchyard/texts';
import { editableEpics, epicFrom, visibleEpics } from './epic.visibility';

/** The epic of an issue, as the issue prints it, and their link. */
export interface AttachedEpic {
  readonly link_id: number;
  readonly relative_position: number;
  readonly id: number;
  readonly iid: number;
  readonly title: string;
  readonly group_id: number;
  readonly group_path: string;
}

/**
 * `AttachedEpic` as JSON for the id of an issue; null where it has none that the viewer may see.
 * @param issueId an expression on none of the aliases `e`, `n` and `link`
 */
export const attachedEpic = (issueId: Sql, viewer: Viewer): Sql => sql`(
  select json_build_object('link_id', link.id, 'relative_position', link.relative_position, 'id', e.id, 'iid', e.iid,
    'title', e.title, 'group_id', e.group_id, 'group_path', n.full_path)
  from ${epicFrom} join epic_issues link on link.epic_id = e.id where link.issue_id = ${issueId} and ${visibleEpics(viewer)})`;

/** How the epic of issues is matched: none, some, or this one. */
type EpicMatch = 'none' | 'any' | number;

/** Matches issues by their epic, as far as the viewer may see it. */
export function epicOfIssue(issueId: Sql, match: EpicMatch, viewer: Viewer): Sql {
  const some = (
    condition: Sql,
  ): Sql => sql`exists (select 1 from ${epicFrom} join epic_issues link on link.epic_id = e.id
    where link.issue_id = ${issueId} and ${condition} and ${visibleEpics(viewer)})`;
  if (match === 'none') return sql`not ${some(sql`true`)}`;
  return some(match === 'any' ? sql`true` : sql`e.id = ${match}`);
}

/** Issues of one epic, whoever may see that. */
export const inEpic = (issueId: Sql, epicId: number): Sql =>
  sql`${issueId} = any(array(select link.issue_id from epic_issues link where link.epic_id = ${epicId}))`;

/** Id of the epic that a text of a project names, in the group of the project where it says none; undefined: none. */
export async function epicByName(
  db: SqlExecutor,
  projectId: number,
  { path, iid }: EpicName,
): Promise<number | undefined> {
  const groupId = path === '' ? undefined : await groupByPath(db, path);
  if (path !== '' && groupId === undefined) return undefined;
  const [row] = await db.query<{ id: number }>(sql`
    select id from epics where iid = ${iid}
      and group_id = ${groupId ?? sql`(select namespace_id from directory.projects where id = ${projectId})`}`);
  return row?.id;
}

/** Whether the viewer may change an epic; undefined when they do not see it. */
export async function mayChangeEpic(db: SqlExecutor, id: number, viewer: Viewer): Promise<boolean | undefined> {
  const [row] = await db.query<{ editable: boolean }>(
    sql`select ${editableEpics(viewer)} as editable from ${epicFrom} where e.id = ${id} and ${visibleEpics(viewer)}`,
  );
  return row?.editable;
}
