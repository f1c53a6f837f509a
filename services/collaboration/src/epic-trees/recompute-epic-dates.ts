import type { Database } from '@switchyard/database';
import { computeEpicDates } from './application/keep-epic-dates';
import { epicDateStore } from './storage/epic-dates.store';

/** Computes the inherited dates of every epic; returns how many were others. */
export async function recomputeEpicDates(db: Database): Promise<number> {
  const dates = epicDateStore(db);
  await dates.markAll();
  return computeEpicDates(dates);
}
