import type { Noteable, NoteableCounters } from '../../noteables';
import type { NoteFact } from './note-fact';

/** What happened on a noteable. */
export interface NoteHappening {
  readonly noteable: Noteable;
  /** Its row. */
  readonly row: number;
  readonly counters: NoteableCounters;
  readonly actorId: number;
  readonly occurredAt: Date;
  readonly directorySequence: number;
  readonly fact: NoteFact;
}
