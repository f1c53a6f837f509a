import type { Database, Tx } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import {
  type CounterChange,
  type KeepCounters,
  type Noteable,
  type NoteableKind,
  noteableRules,
  noteableStore,
} from '../../noteables';
import type { NoteFact } from '../domain/note-fact';
import { publishNote } from './note.events';

faultPoints.push('note.written', 'note.committed');

/** What changes of a noteable's notes and reactions are made with. */
export interface NoteableChangeEdges {
  readonly db: Database;
  readonly clock: () => Date;
  /** How far this service has followed the directory. */
  readonly directorySequence: () => number;
  /** Of the kinds whose counters are kept on a row of this service. */
  readonly keepCounters: { readonly [Kind in NoteableKind]?: KeepCounters };
}

/** What one step of a change has saved. */
interface SavedStep {
  /** Undefined when nothing changed. */
  readonly fact?: NoteFact;
  readonly counters?: CounterChange;
  /** Default: when the noteable was locked. */
  readonly occurredAt?: Date;
}

/** What a change has saved. */
interface SavedChange<T> extends SavedStep {
  readonly result: T;
}

/** Moves the counters for one step of a change that is saved, and appends its event. */
export type RecordStep = (step: SavedStep) => Promise<void>;

/**
 * Locks the row of a noteable and saves with `save` as many steps as it takes, each recorded with its counters and its
 * event, in one transaction (D6).
 * @param save gets the id of the locked row and the time
 * @param within the transaction of the caller, where there is one
 * @throws AppError not_found when the noteable was deleted in the meantime
 */
export async function changeNoteableBySteps<T>(
  { db, clock, directorySequence, keepCounters }: NoteableChangeEdges,
  noteable: Noteable,
  actorId: number,
  save: (tx: Tx, row: number, now: Date, record: RecordStep) => Promise<T>,
  within?: Tx,
): Promise<T> {
  const work = async (tx: Tx): Promise<T> => {
    const locked = await noteableStore.lock(tx, noteable);
    if (locked.removed) throw notFound(noteableRules[noteable.kind].thing);
    const now = clock();
    const result = await save(tx, locked.id, now, async ({ fact, counters: moved = {}, occurredAt = now }) => {
      if (fact === undefined) return;
      const counters = await noteableStore.count(tx, locked.id, moved);
      const internal = fact.$case === 'created' && fact.value.note.internal;
      await keepCounters[noteable.kind]?.(tx, noteable, counters, { actorId, at: now, internal });
      await publishNote(tx, {
        noteable,
        row: locked.id,
        counters,
        actorId,
        occurredAt,
        directorySequence: directorySequence(),
        fact,
      });
    });
    faultPoint('note.written');
    tx.afterCommit(() => faultPoint('note.committed'));
    return result;
  };
  return within === undefined ? db.transaction(work) : work(within);
}

/**
 * Changes a noteable by one step (`changeNoteableBySteps`).
 * @throws AppError not_found when the noteable was deleted in the meantime
 */
export const changeNoteable = <T>(
  edges: NoteableChangeEdges,
  noteable: Noteable,
  actorId: number,
  save: (tx: Tx, row: number, now: Date) => Promise<SavedChange<T>>,
): Promise<T> =>
  changeNoteableBySteps(edges, noteable, actorId, async (tx, row, now, record) => {
    const { result, ...step } = await save(tx, row, now);
    await record(step);
    return result;
  });
