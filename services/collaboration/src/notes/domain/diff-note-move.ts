import type { NotePosition } from './note-position';

/** Diff notes of one merge request that are to be moved. */
export interface DueMove {
  readonly noteableId: number;
  readonly projectId: number;
  readonly mergeRequestId: number;
  readonly generation: number;
  readonly attempts: number;
}

/** A thread and where it stands. */
export interface PositionedThread {
  /** Id of its first note. */
  readonly noteId: number;
  readonly discussionId: Buffer;
  readonly position: NotePosition;
}
