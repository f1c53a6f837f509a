import type { FailedItem, ImportStage, ProjectImport } from './project-import';

/** An import that a process works on until its lease ends. */
export interface ImportLease {
  readonly import: ProjectImport;
  readonly lease: string;
  /** Of the forge; undefined once the import has ended. */
  readonly token: string | undefined;
  /** Which try this is since it last got on, from 1; pauses and stops are none. */
  readonly attempt: number;
  /** Pauses since it last got on. */
  readonly pauses: number;
}

/**
 * Why an import is given back. Only what `failed` counts as a try; `paused` makes the next pause longer, unless the
 * forge says how long.
 */
export type ReleaseReason = 'stopped' | 'paused' | 'failed';

/** A stage that has items on many pages, after one of them was written. */
export type StageProgress = Pick<ImportStage, 'page' | 'cursor' | 'fetched' | 'imported'> & {
  readonly isDone: boolean;
  /** Pages of the list, where the forge said it with this one. */
  readonly pages?: number | undefined;
  /** What of it could not be brought over. */
  readonly failed?: readonly FailedItem[] | undefined;
  /** Names of what has come over with it, of a list that cannot say what changed since. */
  readonly known?: readonly string[] | undefined;
  /** The rest of it did not come over: a refresh begins it anew. */
  readonly isLeftOut?: boolean;
};
