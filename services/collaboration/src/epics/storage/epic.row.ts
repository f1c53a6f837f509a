import { given, type SqlExecutor } from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import {
  type AttachedLabel,
  labelsJson,
  memberNamespaces,
  peopleJson,
  type UserRow,
  type Viewer,
} from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import { editableEpics, epicFrom, visibleEpics } from '../../epic-trees';
import type { Epic, EpicState } from '../domain/epic';
import type { EpicKey } from '../domain/epic-query';
import type { EpicView } from '../domain/epic-view';

interface Row extends Record<string, unknown> {
  id: number;
  group_path: string;
  people: Record<string, UserRow> | null;
  labels: AttachedLabel[];
  parent: EpicView['parent'] | null;
  editable: boolean;
}

// Subselects in the select list run for the rows of the page alone, after the limit.
const people = peopleJson(sql`array[e.author_id]`);

/** Columns of `epics e` as `toEpic` reads them; dates as text, which has no zone to lose. */
export const epicColumns: Sql = sql`e.*, e.start_date_fixed::text as start_fixed, e.due_date_fixed::text as due_fixed,
  e.inherited_start_date::text as start_inherited, e.inherited_due_date::text as due_inherited`;

/** Notes that a viewer may count: internal ones are for Reporters and above (G-4.6-9). */
const shownNotes = (viewer: Viewer): Sql =>
  viewer.admin
    ? sql`e.user_notes_count`
    : sql`case when e.internal_notes_count = 0 or ${memberNamespaces(viewer, levels.reporter)} then e.user_notes_count
        else e.user_notes_count - e.internal_notes_count end`;

// Inside, `e` and `n` are the parent and its group.
const parentOf = (viewer: Viewer): Sql => sql`(
  select found.parent from (select e.parent_id as id) wanted cross join lateral (
    select json_build_object('id', e.id, 'iid', e.iid, 'groupId', e.group_id) as parent
    from ${epicFrom} where e.id = wanted.id and ${visibleEpics(viewer)}) found)`;

/** Select list of a view for a viewer; on the aliases of `epicFrom`. */
export const epicSelect = (viewer: Viewer): Sql => sql`${epicColumns}, n.full_path as group_path, ${people} as people,
  ${labelsJson(sql`array(select el.label_id from epic_labels el where el.epic_id = e.id)`)} as labels,
  ${parentOf(viewer)} as parent, ${editableEpics(viewer)} as editable, ${shownNotes(viewer)} as shown_notes_count`;

/** A row of `epicColumns` as the domain has it. */
export const toEpic = (row: Record<string, unknown>): Epic => ({
  id: row.id as number,
  iid: row.iid as number,
  groupId: row.group_id as number,
  authorId: row.author_id as number,
  title: row.title as string,
  description: given(row.description),
  state: row.state as EpicState,
  confidential: row.confidential as boolean,
  color: row.color as string,
  startDateIsFixed: row.start_date_is_fixed as boolean,
  startDateFixed: given(row.start_fixed),
  dueDateIsFixed: row.due_date_is_fixed as boolean,
  dueDateFixed: given(row.due_fixed),
  userNotesCount: (row.shown_notes_count ?? row.user_notes_count) as number,
  upvotes: row.upvotes as number,
  downvotes: row.downvotes as number,
  parentId: given(row.parent_id),
  inheritedStartDate: given(row.start_inherited),
  inheritedDueDate: given(row.due_inherited),
  closedById: given(row.closed_by_id),
  closedAt: given(row.closed_at),
  importedFrom: row.imported_from as string,
  lockVersion: row.lock_version as number,
  createdAt: row.created_at as Date,
  updatedAt: row.updated_at as Date,
});

/** A row of `epicSelect` as a view. */
export function toEpicView(found: Record<string, unknown>): EpicView {
  const row = found as Row;
  return {
    epic: toEpic(row),
    groupPath: row.group_path,
    people: new Map(Object.entries(row.people ?? {}).map(([id, user]) => [Number(id), user])),
    labels: row.labels,
    parent: row.parent ?? undefined,
    editable: row.editable,
  };
}

const has = (key: EpicKey): Sql =>
  'id' in key ? sql`e.id = ${key.id}` : sql`e.group_id = ${key.groupId} and e.iid = ${key.iid}`;

/** One epic that the viewer may see, with what it embeds; undefined when there is none. */
export async function readEpicView(db: SqlExecutor, key: EpicKey, viewer: Viewer): Promise<EpicView | undefined> {
  const [row] = await db.query(
    named(
      'find_epic',
      sql`select ${epicSelect(viewer)} from ${epicFrom} where ${has(key)} and ${visibleEpics(viewer)}`,
    ),
  );
  return row === undefined ? undefined : toEpicView(row);
}

/** Those of `ids` that the viewer may see, with what they embed: one statement. */
export async function readEpicViews(db: SqlExecutor, ids: readonly number[], viewer: Viewer): Promise<EpicView[]> {
  const rows = await db.query(
    named(
      'find_epics',
      sql`select ${epicSelect(viewer)} from ${epicFrom} where e.id = any(${[...ids]}::bigint[]) and ${visibleEpics(viewer)}`,
    ),
  );
  return rows.map(toEpicView);
}
