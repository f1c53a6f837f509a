import type { NotePosition } from '../domain/note-position';

/** Whoever knows the repositories that positions are about. */
export interface DiffPositions {
  /** Whether a position is a place of its diff. */
  check(projectId: number, position: NotePosition): Promise<boolean>;
  /** Where positions on a merge request stand in its newest version, in their order; undefined: outdated. At most 100 at once. */
  move(
    projectId: number,
    mergeRequestId: number,
    positions: readonly NotePosition[],
  ): Promise<(NotePosition | undefined)[]>;
}
