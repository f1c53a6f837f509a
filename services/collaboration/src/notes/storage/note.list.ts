import { type Database, listPage, type OrderColumn, type PageRequest, type SqlExecutor } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf, type Viewer } from '@switchyard/directory';
import { type NoteableKey, noteableId } from '../../noteables';
import type { Note } from '../domain/note';
import type { NotePosition } from '../domain/note-position';
import type { NoteFilter, NoteRow } from '../domain/note-row';
import { causedVisibly } from './caused-note.visibility';
import { suggestionsJson, suggestionsOf } from './suggestion.rows';

/**
 * Columns of `notes n` with the people on it, for `noteRow`.
 * @param body what is read as the body
 */
export const noteColumns = (
  body = sql`n.body`,
) => sql`n.id, n.noteable_id, n.project_id, n.discussion_id, n.starts_discussion, n.type,
  n.author_id as writer_id, ${body} as body, n.system, n.internal, n.position, n.resolved_at, n.resolved_by_id as settler_id, n.imported_from,
  n.created_at, n.updated_at, ${suggestionsJson} as suggestions, ${userColumns('author')}, author.created_at as author_created_at, ${userColumns('resolver')}`;

/** Joins the people of `notes n`. */
export const noteJoins = sql`${userJoin('author', sql`n.author_id`)} ${userJoin('resolver', sql`n.resolved_by_id`)}`;

/** What `noteColumns` reads from. */
export const noteFrom = sql`notes n ${noteJoins}`;

/** A note read through `noteColumns`. */
export function noteRow(row: Record<string, unknown>): NoteRow {
  return {
    id: row.id as number,
    noteableId: row.noteable_id as number,
    projectId: row.project_id as number,
    discussionId: (row.discussion_id as Buffer).toString('hex'),
    startsDiscussion: row.starts_discussion as boolean,
    type: (row.type as Note['type'] | null) ?? undefined,
    authorId: row.writer_id as number,
    body: row.body as string,
    system: row.system as boolean,
    internal: row.internal as boolean,
    position: (row.position as NotePosition | null) ?? undefined,
    resolvedAt: (row.resolved_at as Date | null) ?? undefined,
    resolvedById: (row.settler_id as number | null) ?? undefined,
    importedFrom: row.imported_from as string,
    createdAt: row.created_at as Date,
    updatedAt: row.updated_at as Date,
    author: userOf(row, 'author'),
    authorCreatedAt: (row.author_created_at as Date | null) ?? undefined,
    resolvedBy: userOf(row, 'resolver'),
    suggestions: suggestionsOf(row.suggestions),
  };
}

const id: OrderColumn = { name: 'id', expression: sql`n.id`, type: 'bigint' };
const orders: Record<string, OrderColumn[]> = {
  created_at: [{ name: 'created_at', expression: sql`n.created_at`, type: 'timestamptz' }, id],
  updated_at: [{ name: 'updated_at', expression: sql`n.updated_at`, type: 'timestamptz' }, id],
};

/** Opens the list. */
export function noteList(db: Database) {
  return {
    async page(key: NoteableKey, { filter, internal, viewer }: NoteFilter, request: PageRequest) {
      const { rows, page } = await listPage({
        db,
        name: 'list_notes',
        select: noteColumns(),
        from: noteFrom,
        countFrom: sql`notes n`,
        where: [
          sql`n.noteable_id = ${noteableId(key)} and n.project_id = ${key.projectId}`,
          sql`n.type is distinct from 'DiscussionNote'`,
          ...(filter === 'all_notes' ? [] : [sql`n.system = ${filter === 'only_activity'}`]),
          ...(internal ? [] : [sql`not n.internal`]),
          causedVisibly(key, viewer),
        ],
        orders,
        request,
        count: true,
      });
      return { rows: rows.map(noteRow), page };
    },

    find: (key: NoteableKey, noteId: number, viewer: Viewer) => findNote(db, key, noteId, viewer),
  };
}

/**
 * One note of a noteable, also one of a thread and an internal one; undefined when it has none of that id.
 * @param viewer who reads; without one, notes that another object caused are found as well
 */
export async function findNote(
  db: SqlExecutor,
  key: NoteableKey,
  noteId: number,
  viewer?: Viewer,
): Promise<NoteRow | undefined> {
  const [row] = await db.query<Record<string, unknown>>(
    named(
      'find_note',
      sql`select ${noteColumns()} from ${noteFrom} where n.id = ${noteId} and n.project_id = ${key.projectId}
        and n.noteable_id = ${noteableId(key)} and ${viewer === undefined ? sql`true` : causedVisibly(key, viewer)}`,
    ),
  );
  return row === undefined ? undefined : noteRow(row);
}
