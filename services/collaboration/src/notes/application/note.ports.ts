import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import type { Viewer } from '@switchyard/directory';
import type { Noteable, NoteableKey } from '../../noteables';
import type { AwardDecision } from '../domain/award-change';
import type { Awardable, AwardRow } from '../domain/award-emoji';
import type { LockedNotes, NoteDecision } from '../domain/note-change';
import type { DiscussionRow, NoteFilter, NoteRow } from '../domain/note-row';
import type { NoteSelection } from '../domain/note-selection';
import type { SystemNote, SystemNoteCause } from '../domain/system-note';

/** Notes as users change them. */
export interface NoteStore {
  /**
   * Sets an id aside for a text whose quick actions must not count twice. The same text of the same author, sent again
   * within 10 minutes while the first was not finished, gets the same id.
   * @param digest what the author sent, and where
   * @throws AppError not_found when the noteable was deleted in the meantime
   */
  begin(noteable: Noteable, authorId: number, digest: Buffer): Promise<number>;
  /** Finishes what was begun without a note. */
  finish(id: number): Promise<void>;
  /**
   * Locks a noteable, reads what `selection` names, decides, and saves the decision with the counters and the event in
   * one transaction. Returns the note that was written, edited or deleted; the selected one when nothing changed.
   * @param begun the id of a note that was begun: it is finished by the change; where it is finished already, its note
   *   is returned and nothing is changed
   * @throws AppError not_found when the noteable was deleted in the meantime; what `decide` throws
   */
  change(
    noteable: Noteable,
    actorId: number,
    selection: NoteSelection,
    decide: (locked: LockedNotes, now: Date) => NoteDecision,
    begun?: number,
  ): Promise<NoteRow | undefined>;
}

/** System notes: what the product itself writes on an object. */
export interface SystemNotes {
  /**
   * Writes notes on a noteable in the caller's transaction; none on a target that is gone, none without an author. Each
   * cause and action is written once. Returns how many were written.
   */
  write(tx: Tx, key: NoteableKey, notes: readonly SystemNote[], cause: SystemNoteCause): Promise<number>;
}

/** Reads notes. */
export interface NoteList {
  /**
   * One page of a noteable's notes without the notes of threads: one statement, and a capped count with offset paging.
   */
  page(key: NoteableKey, filter: NoteFilter, request: PageRequest): Promise<{ rows: NoteRow[]; page: PageInfo }>;
  /** One of its notes by id, also one of a thread and an internal one, as far as the viewer can read what caused it. */
  find(key: NoteableKey, id: number, viewer: Viewer): Promise<NoteRow | undefined>;
}

/** Reads discussions. */
export interface DiscussionList {
  /**
   * One page by first note, oldest first: one statement for the first notes, one for all of theirs, and a capped count.
   * Undefined when its notes have more than 400 MB.
   */
  page(
    key: NoteableKey,
    filter: { internal: boolean; viewer?: Viewer },
    request: PageRequest,
  ): Promise<{ rows: DiscussionRow[]; page: PageInfo } | undefined>;
  /** One of them, as far as the viewer can read what caused it; undefined when the noteable has none of that id. */
  find(key: NoteableKey, discussionId: string, viewer: Viewer): Promise<DiscussionRow | undefined>;
}

/** Reads reactions. */
export interface AwardList {
  /** One page, oldest first: one statement, and a capped count with offset paging. */
  page(awardable: Awardable, request: PageRequest): Promise<{ rows: AwardRow[]; page: PageInfo }>;
  /** One of them by id. */
  find(awardable: Awardable, id: number): Promise<AwardRow | undefined>;
}

/** Reactions as users change them. */
export interface AwardStore {
  /**
   * Locks a noteable, reads the reaction `id` where one is given, decides, and saves the decision with the counters and
   * the event in one transaction. Returns the reaction that was given or taken back.
   * @throws AppError not_found when the noteable was deleted in the meantime, and when the user has given the reaction
   * already; what `decide` throws
   */
  change(
    noteable: Noteable,
    actorId: number,
    selection: { readonly awardable: Awardable; readonly id?: number },
    decide: (award: AwardRow | undefined, now: Date) => AwardDecision,
  ): Promise<AwardRow>;
}

/** Counts how many comments users request to write, for all processes together. */
export interface NoteRateStore {
  /**
   * Counts one more request of a user in the current window, which begins with its first; returns how many there are.
   */
  count(userId: number, seconds: number): Promise<number>;
}
