import type { NotePosition } from '../domain/note-position';

/** Positions in diffs, as the owner of the repositories knows them. */
export interface DiffPositions {
  /** The numbers of the line code of a position; undefined when it is not in its diff; null where it has no line. */
  codeLines(
    projectId: number,
    position: NotePosition,
  ): Promise<{ readonly oldLine: number; readonly newLine: number } | null | undefined>;
  /** Whether a position is in its diff. */
  check(projectId: number, position: NotePosition): Promise<boolean>;
  /**
   * The positions in the newest version of a merge request, in the given order; undefined: outdated. At most 100 at
   * once.
   */
  move(
    projectId: number,
    mergeRequestId: number,
    positions: readonly NotePosition[],
  ): Promise<(NotePosition | undefined)[]>;
}
