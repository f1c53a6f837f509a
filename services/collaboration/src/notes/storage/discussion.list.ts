import { type Database, listPage, type PageRequest } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { Viewer } from '@switchyard/directory';
import { type NoteableKey, noteableId } from '../../noteables';
import { bytesBesideText, maxBodyLength } from '../domain/note';
import type { DiscussionRow, NoteRow } from '../domain/note-row';
import { causedVisibly } from './caused-note.visibility';
import { noteColumns, noteFrom, noteJoins, noteRow } from './note.list';

/**
 * Bytes one page may hold: a hundred notes of a million characters of four bytes, with what stands beside their text.
 */
const maxPageBytes = 100 * (4 * maxBodyLength + bytesBesideText);

/**
 * Bodies as long as all of them together are not too long; null for each otherwise. A length is read without its text.
 */
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
export function discussionList(db: Database) {
  return {
    async page(key: NoteableKey, { internal, viewer }: { internal: boolean; viewer?: Viewer }, request: PageRequest) {
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

    async find(key: NoteableKey, discussionId: string, viewer: Viewer) {
      if (!/^[0-9a-f]{40}$/.test(discussionId)) return undefined;
      const notes = await db.query<Record<string, unknown>>(
        named(
          'find_discussion',
          sql`select ${noteColumns()} from ${noteFrom}
            where n.discussion_id = ${Buffer.from(discussionId, 'hex')} and n.project_id = ${key.projectId}
              and n.noteable_id = ${noteableId(key)} and ${causedVisibly(key, viewer)}
            order by not n.starts_discussion, n.created_at, n.id`,
        ),
      );
      return discussionsOf(notes.map(noteRow))[0];
    },
  };
}
