import { repeat } from '@switchyard/rpc';
import type { AlertPurge } from '../storage/alert-purge.store';

/** Milliseconds between two sweeps: what is purged is hidden already, so nothing hurries. */
const interval = 60_000;

/** Rows that one statement removes; keeps its locks short. */
const batch = 500;

/** Purges what belongs to deleted projects (D5), now and every minute. */
export const purgeAlerts = (purge: AlertPurge) =>
  repeat('alerts of deleted projects', interval, async (stopping) => {
    while (!stopping.aborted && (await purge.removeOrphans(batch)) > 0);
  });
