import type { Database, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type NoteableKey, noteableId } from '../../noteables';
import type { DueMove, PositionedThread } from '../domain/diff-note-move';
import type { NotePosition } from '../domain/note-position';

/** Seconds a claimed move is left to its process before another one takes it over. */
const leaseSeconds = 30;

/** Its notices wake those who move diff notes, in all processes. */
const channel = 'switchyard_diff_notes';

/** Diff notes on their way through versions of a diff. */
export const diffNoteStore = {
  /** Calls `wake` when moves are requested; returns what ends that. */
  onMoves: (db: Database, wake: () => void): (() => void) => db.notices.listen(channel, wake),

  /** Requests a move of the diff notes of a noteable, in the caller's transaction; nothing where it has none. */
  async request(tx: Tx, key: NoteableKey): Promise<void> {
    await tx.query(sql`
      insert into diff_note_moves (noteable_id)
      select c.id from noteables c where c.id = ${noteableId(key)} and exists (
        select 1 from notes n where n.noteable_id = c.id and n.type = 'DiffNote' and n.starts_discussion)
      on conflict (noteable_id) do update set generation = diff_note_moves.generation + 1, attempts = 0, run_at = now()`);
    tx.notify(channel);
  },

  async claim(db: Database): Promise<DueMove | undefined> {
    return db.one<DueMove>(sql`
      update diff_note_moves m set run_at = now() + make_interval(secs => ${leaseSeconds}), attempts = m.attempts + 1
      from noteables c where c.id = m.noteable_id and m.noteable_id = (
        select due.noteable_id from diff_note_moves due where due.run_at <= now() order by due.run_at limit 1 for update skip locked)
      returning m.noteable_id as "noteableId", c.project_id as "projectId", c.target_id as "mergeRequestId",
        m.generation, m.attempts`);
  },

  async threads(db: Database, noteable: number, after: number, limit: number): Promise<PositionedThread[]> {
    return db.query<PositionedThread>(sql`
      select n.id as "noteId", n.discussion_id as "discussionId", n.position from notes n
      where n.noteable_id = ${noteable} and n.type = 'DiffNote' and n.starts_discussion and n.id > ${after}
        and n.position ->> 'commitId' is null
      order by n.id limit ${limit}`);
  },

  async place(
    db: Database,
    noteable: number,
    moved: readonly { readonly discussionId: Buffer; readonly position: NotePosition }[],
  ): Promise<void> {
    if (moved.length === 0) return;
    await db.query(sql`
      update notes n set position = moved.position::jsonb
      from unnest(${moved.map(({ discussionId }) => discussionId)}::bytea[],
        ${moved.map(({ position }) => JSON.stringify(position))}::text[]) as moved (discussion_id, position)
      where n.noteable_id = ${noteable} and n.discussion_id = moved.discussion_id and n.type = 'DiffNote'`);
  },

  async finish(db: Database, { noteableId: id, generation }: DueMove): Promise<void> {
    await db.query(sql`delete from diff_note_moves where noteable_id = ${id} and generation = ${generation}`);
    await db.query(
      sql`update diff_note_moves set run_at = now() where noteable_id = ${id} and generation > ${generation}`,
    );
  },

  async drop(db: Database, { noteableId: id, generation }: DueMove): Promise<void> {
    await db.query(sql`delete from diff_note_moves where noteable_id = ${id} and generation = ${generation}`);
  },
};
