import type { Tx } from '@switchyard/database';
import type { keepNoteCounters, NoteCounters } from '../storage/note-counters.store';

/** Keeps what collaboration tells of the notes of merge requests (D4), in the transaction that takes note of the event. */
export const followNotes =
  ({ keep }: { keep: typeof keepNoteCounters }) =>
  (tx: Tx, counters: NoteCounters): Promise<void> =>
    keep(tx, counters);
