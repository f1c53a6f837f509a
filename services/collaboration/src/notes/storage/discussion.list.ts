import {
  type Database,
  listPage,
  named,
  type PageInfo,
  type PageRequest,
  type SqlExecutor,
  sql,
} from '@switchyard/database';
import type { Viewer } from '@switchyard/directory';
import { type NoteableKey, noteableId } from '../../noteables';
import { bytesBesideText, maxBodyLength } from '../domain/note';
import { causedVisibly } from './caused-note.visibility';
import { type NoteRow, noteColumns, noteFrom, noteJoins, noteRow } from './note.list';
import { noteableId } from './noteable.store';

/**
 * A discussion: its notes in the order of G-4.7-11, at least one. The note that began it stays the first, also when a reply has
 * an earlier `created_at`: such a reply moves neither the thread nor its root.
 */
export interface DiscussionRow {
  readonly id: string;
  readonly notes: readonly [NoteRow, ...NoteRow[]];
}

/** Reads discussions. */
export interface DiscussionList {
  /**
   * One page by first note, oldest first: one statement for the first notes, one for all of theirs, and a capped count. Undefined when its
   * notes have more than 400 MB.
   */
  page(
    key: NoteableKey,
    filter: { internal: boolean; viewer?: Viewer },
    request: PageRequest,
  ): Promise<{ rows: DiscussionRow[]; page: PageInfo } | undefined>;
  /**
   * One of them; undefined when the noteable has none of that id. `db` may be a transaction.
   * @param viewer who reads; without one, notes that another object caused are found as well
   */
  find(key: NoteableKey, discussionId: string, db?: SqlExecutor, viewer?: Viewer): Promise<DiscussionRow | undefined>;
}

/** Bytes one page may hold: a hundred notes of a million characters of four bytes, with what stands beside their text. */
const maxPageBytes = 100 * (4 * maxBodyLength + bytesBesideText);

/** Bodies as long as all of them together are not too long; null for each otherwise. A length is read without its text. */
const cappedBody = sql`case when sum(octet_length(n.body) + ${bytesBesideText}::int) over () <= ${maxPageBytes} then n.body end`;

const discussionsOf = (notes: readonly NoteRow[]): DiscussionRow[] => {
  const byId = new Map<string, [NoteRow, ...NoteRow[]]>();
  for (const note of notes) {
    const known = byId.get(note.discussionId);
    if (known === undefined) byId.set(note.discussionId, [note]);
    else known.push(note);
  }
  return [...byId].map(([id, rows]) => ({ id, notes: rows }));
};

/** Opens the list. */
export function discussionList(db: Database): DiscussionList {
  return {
    async page(key, { internal, viewer }, request) {
      const { rows, page } = await listPage<{ discussion_id: Buffer }>({
        db,
        name: 'list_discussions',
        select: sql`n.discussion_id`,
        from: sql`notes n`,
        where: [
          sql`n.noteable_id = ${noteableId(key)} and n.project_id = ${key.projectId}`,
          sql`n.starts_discussion`,
          ...(internal ? [] : [sql`not n.internal`]),
          causedVisibly(key, viewer),
        ],
        orders: {
          created_at: [
            { name: 'created_at', expression: sql`n.created_at`, type: 'timestamptz' },
            { name: 'id', expression: sql`n.id`, type: 'bigint' },
          ],
        },
        request,
        count: true,
      });
      const ids = rows.map((row) => row.discussion_id);
      const notes = await db.query<Record<string, unknown>>(
        named(
          'notes_of_discussions',
          sql`select ${noteColumns(cappedBody)} from unnest(${ids}::bytea[]) with ordinality as wanted (discussion_id, place)
            join notes n on n.discussion_id = wanted.discussion_id and n.project_id = ${key.projectId}
            ${noteJoins} order by wanted.place, not n.starts_discussion, n.created_at, n.id`,
        ),
      );
      if (notes[0]?.body === null) return undefined;
      return { rows: discussionsOf(notes.map(noteRow)), page };
    },

    async find(key, discussionId, executor = db, viewer) {
      if (!/^[0-9a-f]{40}$/.test(discussionId)) return undefined;
      const notes = await executor.query<Record<string, unknown>>(
        named(
          'find_discussion',
          sql`select ${noteColumns()} from ${noteFrom}
            where n.discussion_id = ${Buffer.from(discussionId, 'hex')} and n.project_id = ${key.projectId}
              and n.noteable_id = ${noteableId(key)} and ${viewer === undefined ? sql`true` : causedVisibly(key, viewer)}
            order by not n.starts_discussion, n.created_at, n.id`,
        ),
      );
      return discussionsOf(notes.map(noteRow))[0];
    },
  };
}
