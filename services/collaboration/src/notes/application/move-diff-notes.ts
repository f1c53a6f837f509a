import { type Repeating, repeat } from '@switchyard/background';
import type { Database } from '@switchyard/database';
import { isAppError } from '@switchyard/errors';
import type { Logger } from '@switchyard/telemetry';
import type { DueMove } from '../domain/diff-note-move';
import type { DiffNoteMoves } from './diff-note.ports';
import type { DiffPositions } from './diff-positions';

/** Threads whose positions one call requests (see the proto). */
const batch = 100;

/** Milliseconds between two polls for moves whose lease has ended; a new request wakes the job at once. */
const interval = 5_000;

/** Attempts after which a failing move is dropped: its notes stay at the version that they were made for. */
const tries = 10;

/** What moving needs. */
export interface DiffNoteMoving {
  readonly db: Database;
  readonly moves: DiffNoteMoves;
  readonly positions: DiffPositions;
  readonly log: Logger;
}

/**
 * Moves the diff notes of one merge request to the newest version of its diff; those whose line is gone stay where they
 * were: outdated.
 */
async function moveNotes({ db, moves, positions }: DiffNoteMoving, due: DueMove): Promise<void> {
  for (let after = 0; ; ) {
    const threads = await moves.threads(db, due.noteableId, after, batch);
    const now =
      threads.length === 0
        ? []
        : await positions.move(
            due.projectId,
            due.mergeRequestId,
            threads.map(({ position }) => position),
          );
    await moves.place(
      db,
      due.noteableId,
      threads.flatMap(({ discussionId }, at) => {
        const position = now[at];
        return position === undefined ? [] : [{ discussionId, position }];
      }),
    );
    const last = threads.at(-1);
    if (last === undefined || threads.length < batch) return;
    after = last.noteId;
  }
}

/** Moves what is due, over and over, one merge request after the other. */
export function moveDiffNotes(edges: DiffNoteMoving): Repeating {
  const { db, moves, log } = edges;
  return repeat('diff notes', interval, async (stopping) => {
    while (!stopping.aborted) {
      const due = await moves.claim(db);
      if (due === undefined) return;
      try {
        await moveNotes(edges, due);
        await moves.finish(db, due);
      } catch (error) {
        // An unavailable repository service does not count against the move.
        const hopeless = due.attempts >= tries && !isAppError(error, 'unavailable');
        if (isAppError(error, 'not_found') || hopeless) await moves.drop(db, due);
        log.warn({ err: error, noteable: due.noteableId }, 'diff notes could not be moved');
      }
    }
  });
}
