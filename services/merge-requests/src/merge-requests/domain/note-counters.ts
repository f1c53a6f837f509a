/** What collaboration publishes about the notes of a merge request. */
export interface NoteCounters {
  readonly mergeRequestId: number;
  /** Grows with every change; counters whose version is not above the known one are stale. */
  readonly version: number;
  readonly userNotes: number;
  readonly internalNotes: number;
  readonly unresolvedDiscussions: number;
  readonly upvotes: number;
  readonly downvotes: number;
  /** When a note was written that everybody may read, which counts as activity; undefined for other changes. */
  readonly activeAt: Date | undefined;
}
