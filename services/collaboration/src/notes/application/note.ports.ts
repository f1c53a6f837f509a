import type { PageInfo, PageRequest, SqlExecutor, Tx } from '@switchyard/database';
import type { Viewer } from '@switchyard/directory';
import type { NoteableKey } from '../../noteables';
import type { Awardable, AwardRow } from '../domain/award-emoji';
import type { DiscussionState, NewNote } from '../domain/note';
import type { NoteHappening } from '../domain/note-happening';
import type { DiscussionRow, NoteFilter, NoteRow } from '../domain/note-row';
import type { SystemNote, SystemNoteCause } from '../domain/system-note';

/** Notes as they are written. Every function runs in a transaction that holds the lock of the noteable. */
export interface NoteStore {
  /** Writes a note and returns its id. */
  insert(tx: Tx, note: NewNote): Promise<number>;
  /** A discussion of a noteable; undefined when it has none of that id. */
  discussion(tx: Tx, noteableId: number, discussionId: string): Promise<DiscussionState | undefined>;
  /** Makes a comment of its own the first note of a thread (G-4.7-10). */
  makeThread(tx: Tx, noteableId: number, discussionId: string): Promise<void>;
  changeBody(tx: Tx, id: number, body: string, at: Date): Promise<void>;
  /** Resolves notes of a discussion, or takes that back: all, or the one given. Returns how many changed. */
  resolve(
    tx: Tx,
    noteableId: number,
    discussionId: string,
    change: { noteId: number | undefined; by: number | undefined; at: Date },
  ): Promise<number>;
  /** Deletes a note with the reactions to it; the next of its discussion becomes its first. */
  remove(tx: Tx, id: number): Promise<void>;
}

/** Appends the event of a happening in the transaction that made it true; the row of the noteable is locked. */
export type PublishNote = (tx: Tx, happening: NoteHappening) => Promise<void>;

/** System notes: what the product itself says on an object. */
export interface SystemNotes {
  /**
   * Writes notes on a noteable in the caller's transaction; none on a target that is gone, none without an author. Each cause and action is
   * written once. Returns how many were written.
   */
  write(tx: Tx, key: NoteableKey, notes: readonly SystemNote[], cause: SystemNoteCause): Promise<number>;
}

/** Reads notes. */
export interface NoteList {
  /** One page of a noteable's notes, the items of threads left out: one statement, and a capped count with offset paging. */
  page(key: NoteableKey, filter: NoteFilter, request: PageRequest): Promise<{ rows: NoteRow[]; page: PageInfo }>;
  /**
   * One of its notes by id, also one of a thread and an internal one. `db` may be a transaction.
   * @param viewer who reads; without one, notes that another object caused are found as well
   */
  find(key: NoteableKey, id: number, db?: SqlExecutor, viewer?: Viewer): Promise<NoteRow | undefined>;
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

/** Reactions as rows. */
export interface AwardStore {
  /** One page, oldest first: one statement, and a capped count with offset paging. */
  page(awardable: Awardable, request: PageRequest): Promise<{ rows: AwardRow[]; page: PageInfo }>;
  /** One of them by id. `db` may be a transaction. */
  find(awardable: Awardable, id: number, db?: SqlExecutor): Promise<AwardRow | undefined>;
  /** Gives a reaction; undefined when the user has given it already. */
  give(tx: SqlExecutor, awardable: Awardable, userId: number, name: string, at: Date): Promise<number | undefined>;
  /** Takes a reaction back; false when it was gone. */
  take(tx: SqlExecutor, id: number): Promise<boolean>;
}

/** Counts how many comments users ask to write, for all processes together. */
export interface NoteRateStore {
  /** Counts one more of a user in the present window, which begins with its first; returns how many there are. */
  count(userId: number, seconds: number): Promise<number>;
}
