import type { ImportedNoteable } from './imported-note';

/** What reactions of an archive are given to. */
export type ReactedTo = Exclude<ImportedNoteable, 'Commit'> | 'Note';

/** A reaction as an archive has it. */
export interface ImportedEmoji {
  /** Number of an issue or merge request, or what names a snippet or note where it came from. */
  readonly on: number;
  readonly name: string;
  readonly userId: number;
  readonly createdAt: Date;
}
