import type { ImportStage, ProjectImport } from './project-import';

/** An import that a process works on until its lease ends. */
export interface ImportLease {
  readonly import: ProjectImport;
  readonly lease: string;
  /** Of the forge; undefined once the import has ended. */
  readonly token: string | undefined;
  /** Which try this is since it last got on, from 1. */
  readonly attempt: number;
}

/** A stage that has items on many pages, after one of them was written. */
export type StageProgress = Pick<ImportStage, 'page' | 'fetched' | 'imported'> & { readonly isDone: boolean };
