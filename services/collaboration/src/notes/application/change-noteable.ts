import type { Database, Tx } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { type CounterChange, type KeepCounters, type Noteable, noteableRules, noteableStore } from '../../noteables';
import type { NoteFact } from '../domain/note-fact';
import type { PublishNote } from './note.ports';

faultPoints.push('note.written', 'note.committed');

/** What a change of a noteable's notes comes to. */
export interface NoteableChange<T> {
  readonly result: T;
  /** What others are told; undefined when nothing changed. */
  readonly fact?: NoteFact;
  readonly counters?: CounterChange;
  /** When it happened, where that was before it is written; default then. */
  readonly occurredAt?: Date;
}

/** What changes are made with. */
export interface NoteableChangeEdges {
  readonly db: Database;
  readonly clock: () => Date;
  readonly directorySequence: () => number;
  readonly keepCounters: KeepCounters;
  readonly publish: PublishNote;
}

/** One change of what a noteable carries: its row locked, counters moved, event appended, all in one transaction (D6). */
export type ChangeNoteable = <T>(
  noteable: Noteable,
  actorId: number,
  work: (tx: Tx, row: number, now: Date) => Promise<NoteableChange<T>>,
) => Promise<T>;

/** Opens `ChangeNoteable`. Fails with `not_found` when the noteable has been deleted meanwhile. */
export const changeNoteable =
  ({ db, clock, directorySequence, keepCounters, publish }: NoteableChangeEdges): ChangeNoteable =>
  (noteable, actorId, work) =>
    db.transaction(async (tx) => {
      const locked = await noteableStore.lock(tx, noteable);
      if (locked.removed) throw notFound(noteableRules[noteable.kind].thing);
      const now = clock();
      const { result, fact, counters: moved = {}, occurredAt = now } = await work(tx, locked.id, now);
      if (fact !== undefined) {
        const counters = await noteableStore.count(tx, locked.id, moved);
        const internal = fact.$case === 'created' && fact.value.note.internal;
        await keepCounters(tx, noteable, counters, { actorId, at: now, internal });
        await publish(tx, {
          noteable,
          row: locked.id,
          counters,
          actorId,
          occurredAt,
          directorySequence: directorySequence(),
          fact,
        });
      }
      faultPoint('note.written');
      tx.afterCommit(() => faultPoint('note.committed'));
      return result;
    });
