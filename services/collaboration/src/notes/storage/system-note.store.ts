import type { SqlExecutor } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { usersByIds } from '@switchyard/directory';
import { type NoteableKey, noteableStore } from '../../noteables';
import type { SystemNote, SystemNoteCause } from '../domain/system-note';
import { newDiscussionId } from './note.store';

/** System notes: what the product itself writes on an object. */
export const systemNotes = {
  async write(
    tx: SqlExecutor,
    key: NoteableKey,
    notes: readonly SystemNote[],
    { id, occurredAt }: SystemNoteCause,
  ): Promise<number> {
    const wanted = notes.filter(({ authorId }) => authorId > 0);
    if (wanted.length === 0) return 0;
    const noteable = await noteableStore.lock(tx, key);
    if (noteable.removed) return 0;
    const namedIds = wanted.flatMap(({ parts }) =>
      parts.flatMap((part) => (typeof part === 'string' ? [] : part.userId)),
    );
    const users = await usersByIds(tx, namedIds);
    const bodies = wanted.map(({ parts }) =>
      parts
        .map((part) => (typeof part === 'string' ? part : `@${users.get(part.userId)?.username ?? 'ghost'}`))
        .join(''),
    );
    const written = await tx.query(
      named(
        'system_notes_write',
        sql`insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body, system, action, cause,
        source_kind, source_project_id, source_id, created_at, updated_at)
      select ${noteable.id}, ${key.projectId}, discussion_id, true, author_id, body, true, action, ${id} || '#' || action,
        source_kind, source_project_id, source_id, ${occurredAt}, ${occurredAt}
      from unnest(${wanted.map(() => newDiscussionId(occurredAt))}::bytea[], ${wanted.map((note) => note.authorId)}::bigint[],
        ${bodies}::text[], ${wanted.map((note) => note.action)}::text[],
        ${wanted.map(({ source }) => source?.projectId ?? null)}::bigint[], ${wanted.map(({ source }) => source?.id ?? null)}::bigint[],
        ${wanted.map(({ source }) => source?.kind ?? null)}::text[])
        with ordinality as wanted (discussion_id, author_id, body, action, source_project_id, source_id, source_kind, position)
      order by position
      on conflict (cause) where cause is not null do nothing
      returning 1`,
      ),
    );
    return written.length;
  },
};
