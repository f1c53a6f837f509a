/** Counters of a noteable, and the version they have. */
export interface NoteableCounters {
  readonly version: number;
  readonly userNotesCount: number;
  /** Internal ones among them. */
  readonly internalNotesCount: number;
  readonly unresolvedCount: number;
  readonly upvotes: number;
  readonly downvotes: number;
}

/** By how much a change moves the counters. */
export type CounterChange = { readonly [F in keyof Omit<NoteableCounters, 'version'>]?: number };
