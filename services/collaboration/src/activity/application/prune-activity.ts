import { repeat } from '@switchyard/background';
import type { ActivityStore } from './activity.ports';

/** Years an activity event is kept (G-4.8-6). */
const keptYears = 3;

/** Milliseconds between two runs: what is due is days old or no longer visible. */
const interval = 3_600_000;

/** Events one statement removes; keeps its locks short. */
const batch = 1_000;

/** Removes activity events of more than 3 years ago and those of deleted projects, a batch at a time. */
export async function pruneActivity(events: ActivityStore, stopping?: AbortSignal): Promise<void> {
  const oldest = new Date();
  oldest.setUTCFullYear(oldest.getUTCFullYear() - keptYears);
  for (const remove of [() => events.removeBefore(oldest, batch), () => events.removeOrphans(batch)]) {
    while (stopping?.aborted !== true && (await remove()) === batch);
  }
}

/** `pruneActivity` now and every hour. */
export const startPruningActivity = (events: ActivityStore) =>
  repeat('old activity events', interval, (stopping) => pruneActivity(events, stopping));
