import type { Viewer } from '@switchyard/directory';

/** What a decision about notes depends on, read under the lock; nothing by default. */
export interface NoteSelection {
  /**
   * A note of the noteable, also one of a thread and an internal one. `viewer` must be able to see it; without a
   * viewer, notes that another object caused are found as well.
   */
  readonly note?: { readonly id: number; readonly viewer?: Viewer };
  /** A discussion of the noteable by its id, or that of the note. */
  readonly discussion?: { readonly id: string } | 'of the note';
}
