import type { UserRow, Viewer } from '@switchyard/directory';
import type { Note, NoteActivityFilter } from './note';
import type { NotePosition } from './note-position';
import type { Suggestion } from './suggestion';

/** A note with what it is printed with. */
export interface NoteRow extends Note {
  readonly author: UserRow | undefined;
  readonly authorCreatedAt: Date | undefined;
  readonly resolvedBy: UserRow | undefined;
  /** Where a diff note stands now; at an older version: outdated. */
  readonly position: NotePosition | undefined;
  /** In the order of its text. */
  readonly suggestions: readonly Suggestion[];
}

/** Which notes of a noteable are wanted. */
export interface NoteFilter {
  readonly filter: NoteActivityFilter;
  /** Internal ones as well. */
  readonly internal: boolean;
  /**
   * The viewer: a note that another object caused is visible to users who can read that object. Undefined: an anonymous
   * one.
   */
  readonly viewer?: Viewer;
}

/**
 * A discussion: its notes in the order of G-4.7-11, at least one. The note that began it stays the first, also when a
 * reply has an earlier `created_at`: such a reply moves neither the thread nor its root.
 */
export interface DiscussionRow {
  readonly id: string;
  readonly notes: readonly [NoteRow, ...NoteRow[]];
}
