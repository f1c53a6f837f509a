import { randomBytes } from 'node:crypto';
import type { SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import { type Noteable, type NoteableKey, noteableRules, noteableStore } from '../../noteables';
import { bytesBesideText, type NoteType } from '../domain/note';
import type { DiscussionState, LockedNotes, NewNote, NoteDecision, NoteStep } from '../domain/note-change';
import { type NoteFact, noteSubject } from '../domain/note-fact';
import type { NoteRow } from '../domain/note-row';
import type { NoteSelection } from '../domain/note-selection';
import { findNote } from './note.list';
import { changeNoteable, type NoteableChangeEdges } from './noteable-change';
import { saveSuggestions } from './suggestion.rows';

/**
 * A new discussion's id: its time in milliseconds before fourteen random bytes, so that new ids are neighbours in the
 * index.
 */
export function newDiscussionId(at: Date): Buffer {
  const id = randomBytes(20);
  id.writeUIntBE(Math.max(0, at.getTime()), 0, 6);
  return id;
}

/** The bytes behind forty hexadecimal digits; undefined for anything else. */
export const discussionBytes = (discussionId: string): Buffer | undefined =>
  /^[0-9a-f]{40}$/.test(discussionId) ? Buffer.from(discussionId, 'hex') : undefined;

/** The next id of a note. */
export const nextNoteId = sql`nextval(pg_get_serial_sequence('notes', 'id'))`;

/**
 * Writes a note and returns its id. The noteable must be locked.
 * @param row id of the row of the noteable
 */
export async function insertNote(tx: SqlExecutor, row: number, projectId: number, note: NewNote): Promise<number> {
  const discussion = note.discussionId === undefined ? newDiscussionId(note.at) : discussionBytes(note.discussionId);
  const position = note.position === undefined ? null : JSON.stringify(note.position);
  const [inserted] = await tx.query<{ id: number }>(sql`
    insert into notes (id, noteable_id, project_id, discussion_id, starts_discussion, type, author_id, body, internal,
      original_position, position, resolved_at, resolved_by_id, created_at, updated_at)
    overriding system value
    values (${note.id === undefined ? nextNoteId : sql`${note.id}::bigint`}, ${row}, ${projectId}, ${discussion}, ${note.discussionId === undefined}, ${note.type ?? null},
      ${note.authorId}, ${note.body}, ${note.internal}, ${position}::jsonb, ${position}::jsonb,
      ${note.resolvedById === undefined ? null : note.at}, ${note.resolvedById ?? null}, ${note.at}, ${note.at})
    returning id`);
  if (inserted === undefined) throw new Error('a note was not inserted');
  if (note.suggestions !== undefined && note.suggestions.length > 0)
    await saveSuggestions(tx, inserted.id, note.suggestions);
  return inserted.id;
}

/** What a discussion of a noteable consists of; undefined where there is none. The noteable must be locked. */
export async function readDiscussion(tx: Tx, row: number, id: string): Promise<DiscussionState | undefined> {
  const bytes = discussionBytes(id);
  if (bytes === undefined) return undefined;
  const found = await tx.one<{
    notes: number;
    system: boolean;
    internal: boolean;
    type: NonNullable<NoteType> | null;
    position: unknown;
    unresolved_ids: number[] | null;
    resolved_ids: number[] | null;
    bytes: number;
  }>(sql`
    select count(*)::int as notes, bool_or(system) as system, bool_or(internal and starts_discussion) as internal,
      max(type) filter (where starts_discussion) as type,
      (array_agg(position) filter (where starts_discussion))[1] as position,
      array_agg(id) filter (where type is not null and not system and resolved_at is null) as unresolved_ids,
      array_agg(id) filter (where type is not null and not system and resolved_at is not null) as resolved_ids,
      sum(octet_length(body) + ${bytesBesideText}::int)::bigint as bytes
    from notes where discussion_id = ${bytes} and noteable_id = ${row}`);
  if (found === undefined || found.notes === 0) return undefined;
  return {
    id,
    system: found.system,
    internal: found.internal,
    type: found.type ?? undefined,
    position: found.position ?? undefined,
    unresolvedIds: found.unresolved_ids ?? [],
    resolvedIds: found.resolved_ids ?? [],
    bytes: found.bytes,
  };
}

async function read(
  tx: Tx,
  noteable: NoteableKey,
  row: number,
  { note: selected, discussion }: NoteSelection,
): Promise<LockedNotes> {
  const note = selected && (await findNote(tx, noteable, selected.id, selected.viewer));
  const id = discussion === 'of the note' ? note?.discussionId : discussion?.id;
  return { note, discussion: id === undefined ? undefined : await readDiscussion(tx, row, id) };
}

async function makeThread(tx: Tx, row: number, discussionId: string): Promise<void> {
  await tx.query(sql`
    update notes set type = 'DiscussionNote'
    where discussion_id = ${discussionBytes(discussionId)} and noteable_id = ${row} and type is null`);
}

/** Deletes a note with the reactions to it; the next note of its discussion becomes the first. */
async function deleteNote(tx: Tx, id: number): Promise<void> {
  await tx.query(sql`delete from award_emoji where awardable_type = 'Note' and awardable_id = ${id}`);
  await tx.query(sql`
    with gone as (delete from notes where id = ${id} returning discussion_id, noteable_id, starts_discussion)
    update notes set starts_discussion = true where id = (
      select n.id from gone join notes n on n.discussion_id = gone.discussion_id and n.noteable_id = gone.noteable_id
      where gone.starts_discussion and n.id <> ${id} order by n.created_at, n.id limit 1)`);
}

/**
 * Saves one step; returns the note after it, if the step is about one, and what is published. The noteable must be
 * locked.
 */
export async function saveStep(
  tx: Tx,
  noteable: Noteable,
  row: number,
  step: NoteStep,
): Promise<{ note: NoteRow | undefined; fact: NoteFact }> {
  switch (step.kind) {
    case 'write': {
      const { discussionId } = step.note;
      if (step.startsThread && discussionId !== undefined) await makeThread(tx, row, discussionId);
      const id = await insertNote(tx, row, noteable.projectId, step.note);
      const note = await findNote(tx, noteable, id);
      if (note === undefined) throw new Error('an inserted note was not found');
      return { note, fact: { $case: 'created', value: { note: noteSubject(note), mentions: step.mentions } } };
    }
    case 'edit': {
      const { note, body, at, mentions, suggestions } = step;
      await tx.query(sql`update notes set body = ${body}, updated_at = ${at} where id = ${note.id}`);
      if (suggestions !== undefined) await saveSuggestions(tx, note.id, suggestions);
      return {
        note: suggestions === undefined ? { ...note, body, updatedAt: at } : await findNote(tx, noteable, note.id),
        fact: { $case: 'updated', value: { note: noteSubject(note), mentions } },
      };
    }
    case 'delete':
      await deleteNote(tx, step.note.id);
      return { note: step.note, fact: { $case: 'deleted', value: { note: noteSubject(step.note) } } };
    case 'resolve': {
      const { discussionId, noteIds, resolvedById, at, threadResolved } = step;
      await tx.query(sql`
        update notes set resolved_at = ${resolvedById === undefined ? null : at}, resolved_by_id = ${resolvedById ?? null},
          updated_at = ${at}
        where id = any(${[...noteIds]}::bigint[])`);
      const value = { discussionId, resolved: threadResolved };
      return { note: undefined, fact: { $case: 'discussionChanged', value } };
    }
  }
}

/** Finishes a note that was begun; false when it is finished already. */
async function finishNote(tx: SqlExecutor, id: number): Promise<boolean> {
  const gone = await tx.query(sql`delete from begun_notes where note_id = ${id} returning 1`);
  return gone.length > 0;
}

/** Forgets up to `limit` notes that were begun more than an hour ago, which nobody continues; returns how many. */
export async function forgetBegunNotes(db: SqlExecutor, limit: number): Promise<number> {
  const gone = await db.query(sql`
    delete from begun_notes where note_id in (
      select note_id from begun_notes where begun_at < now() - interval '1 hour' order by begun_at, note_id limit ${limit})
    returning 1`);
  return gone.length;
}

/** Opens the store of notes. */
export const noteStore = (edges: NoteableChangeEdges) => ({
  begin: (noteable: Noteable, authorId: number, digest: Buffer): Promise<number> =>
    edges.db.transaction(async (tx) => {
      const locked = await noteableStore.lock(tx, noteable);
      if (locked.removed) throw notFound(noteableRules[noteable.kind].thing);
      // Who sends a text again after that time means to write it once more.
      const row = await tx.one<{ note_id: number }>(sql`
        insert into begun_notes as b (noteable_id, author_id, digest, note_id)
        values (${locked.id}, ${authorId}, ${digest}, ${nextNoteId})
        on conflict (noteable_id, author_id, digest) do update set begun_at = excluded.begun_at,
          note_id = case when b.begun_at > excluded.begun_at - interval '10 minutes' then b.note_id else excluded.note_id end
        returning note_id`);
      return row!.note_id;
    }),

  async finish(id: number): Promise<void> {
    await finishNote(edges.db, id);
  },

  change: (
    noteable: Noteable,
    actorId: number,
    selection: NoteSelection,
    decide: (locked: LockedNotes, now: Date) => NoteDecision,
    begun?: number,
  ): Promise<NoteRow | undefined> =>
    changeNoteable(edges, noteable, actorId, async (tx, row, now) => {
      // Of two that continue the same text, the later one finds what the first has written.
      if (begun !== undefined && !(await finishNote(tx, begun))) return { result: await findNote(tx, noteable, begun) };
      const locked = await read(tx, noteable, row, selection);
      const decision = decide(locked, now);
      if (decision === undefined) return { result: locked.note };
      const { note, fact } = await saveStep(tx, noteable, row, decision.step);
      return { result: note, fact, counters: decision.counters, occurredAt: decision.occurredAt };
    }),
});
