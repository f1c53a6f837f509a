import type { Noteable, NoteableCounters } from '../../noteables';
import type { NoteFact } from './note-fact';

/** What the event of a change on a noteable is made from. */
export interface NoteEventInput {
  readonly noteable: Noteable;
  /** Id of its row. */
  readonly row: number;
  readonly counters: NoteableCounters;
  readonly actorId: number;
  readonly occurredAt: Date;
  readonly directorySequence: number;
  readonly fact: NoteFact;
}
