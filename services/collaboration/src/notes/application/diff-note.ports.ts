import type { Database, Tx } from '@switchyard/database';
import type { NoteableKey } from '../../noteables';
import type { DueMove, PositionedThread } from '../domain/diff-note-move';
import type { NotePosition } from '../domain/note-position';

/** Diff notes on their way through versions of a diff. */
export interface DiffNoteMoves {
  /** Requests a move of the diff notes of a noteable, in the caller's transaction; nothing where it has none. */
  request(tx: Tx, key: NoteableKey): Promise<void>;
  /** Claims the next move that is due, so that no other process claims it at the same time. */
  claim(db: Database): Promise<DueMove | undefined>;
  /** Threads at places of the diff, by id, those after one; without those about single commits, which do not move. */
  threads(db: Database, noteableId: number, after: number, limit: number): Promise<PositionedThread[]>;
  /** Moves all notes of threads to their new places. */
  place(
    db: Database,
    noteableId: number,
    moved: readonly { readonly discussionId: Buffer; readonly position: NotePosition }[],
  ): Promise<void>;
  /** Marks a move as done, unless it was requested again in the meantime: then it is due at once. */
  finish(db: Database, move: DueMove): Promise<void>;
  /** Gives a move up. */
  drop(db: Database, move: DueMove): Promise<void>;
}
