import type { NotePosition } from '../domain/note-position';

/** Positions in diffs, as the owner of the repositories knows them. */
export interface DiffPositions {
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
