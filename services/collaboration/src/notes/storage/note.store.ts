import { randomBytes } from 'node:crypto';
import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { bytesBesideText, type DiscussionState, type NewNote, type NoteType } from '../domain/note';

/** A new discussion's id: its time in milliseconds before fourteen random bytes, so that new ids are neighbours in the index. */
export function newDiscussionId(at: Date): Buffer {
  const id = randomBytes(20);
  id.writeUIntBE(Math.max(0, at.getTime()), 0, 6);
  return id;
}

/** The bytes behind forty hexadecimal digits; undefined for anything else. */
const bytesOf = (discussionId: string): Buffer | undefined =>
  /^[0-9a-f]{40}$/.test(discussionId) ? Buffer.from(discussionId, 'hex') : undefined;

/** Notes as rows. Every function runs in a transaction that holds the lock of the noteable. */
export const noteStore = {
  async insert(tx: SqlExecutor, note: NewNote): Promise<number> {
    const discussion = note.discussionId === undefined ? newDiscussionId(note.at) : bytesOf(note.discussionId);
    const position = note.position === undefined ? null : JSON.stringify(note.position);
    const [row] = await tx.query<{ id: number }>(sql`
      insert into notes (noteable_id, project_id, discussion_id, starts_discussion, type, author_id, body, internal,
        original_position, position, resolved_at, resolved_by_id, created_at, updated_at)
      values (${note.noteableId}, ${note.projectId}, ${discussion}, ${note.discussionId === undefined}, ${note.type ?? null},
        ${note.authorId}, ${note.body}, ${note.internal}, ${position}::jsonb, ${position}::jsonb,
        ${note.resolvedById === undefined ? null : note.at}, ${note.resolvedById ?? null}, ${note.at}, ${note.at})
      returning id`);
    if (row === undefined) throw new Error('a note has not been written');
    return row.id;
  },

  async discussion(tx: SqlExecutor, noteableId: number, discussionId: string): Promise<DiscussionState | undefined> {
    const bytes = bytesOf(discussionId);
    if (bytes === undefined) return undefined;
    const [row] = await tx.query<{
      notes: number;
      system: boolean | null;
      internal: boolean;
      type: NonNullable<NoteType> | null;
      position: unknown;
      unresolved: number;
      bytes: number;
    }>(sql`
      select count(*)::int as notes, bool_or(system) as system, bool_or(internal and starts_discussion) as internal,
        max(type) filter (where starts_discussion) as type,
        (array_agg(position) filter (where starts_discussion))[1] as position,
        count(*) filter (where type is not null and not system and resolved_at is null)::int as unresolved,
        sum(octet_length(body) + ${bytesBesideText}::int)::bigint as bytes
      from notes where discussion_id = ${bytes} and noteable_id = ${noteableId}`);
    if (row === undefined || row.notes === 0) return undefined;
    return {
      notes: row.notes,
      system: row.system ?? false,
      internal: row.internal,
      type: row.type ?? undefined,
      position: row.position ?? undefined,
      unresolved: row.unresolved,
      bytes: row.bytes,
    };
  },

  async makeThread(tx: SqlExecutor, noteableId: number, discussionId: string): Promise<void> {
    await tx.query(sql`
      update notes set type = 'DiscussionNote'
      where discussion_id = ${bytesOf(discussionId)} and noteable_id = ${noteableId} and type is null`);
  },

  async changeBody(tx: SqlExecutor, id: number, body: string, at: Date): Promise<void> {
    await tx.query(sql`update notes set body = ${body}, updated_at = ${at} where id = ${id}`);
  },

  async resolve(
    tx: SqlExecutor,
    noteableId: number,
    discussionId: string,
    { noteId, by, at }: { noteId: number | undefined; by: number | undefined; at: Date },
  ): Promise<number> {
    const resolved = by !== undefined;
    const changed = await tx.query(sql`
      update notes set resolved_at = ${resolved ? at : null}, resolved_by_id = ${by ?? null}, updated_at = ${at}
      where discussion_id = ${bytesOf(discussionId)} and noteable_id = ${noteableId} and type is not null and not system
        and (resolved_at is null) = ${resolved} and (${noteId ?? null}::bigint is null or id = ${noteId ?? null})
      returning 1`);
    return changed.length;
  },

  async remove(tx: SqlExecutor, id: number): Promise<void> {
    await tx.query(sql`delete from award_emoji where awardable_type = 'Note' and awardable_id = ${id}`);
    await tx.query(sql`
      with gone as (delete from notes where id = ${id} returning discussion_id, noteable_id, starts_discussion)
      update notes set starts_discussion = true where id = (
        select n.id from gone join notes n on n.discussion_id = gone.discussion_id and n.noteable_id = gone.noteable_id
        where gone.starts_discussion and n.id <> ${id} order by n.created_at, n.id limit 1)`);
  },
};
