import { repeat } from '@switchyard/background';

/** What goes with its project. */
export interface AlertPurge {
  /**
   * Removes up to `limit` rows of each kind that belong to deleted projects, and unlinks as many incidents that had been moved to one, so
   * that their alerts can get another; returns how many.
   */
  removeOrphans(limit: number): Promise<number>;
}

/** Milliseconds between two sweeps: what is purged is hidden already, so nothing hurries. */
const interval = 60_000;

/** Rows that one statement removes; keeps its locks short. */
const batch = 500;

/** Purges what belongs to deleted projects (D5), now and every minute. */
export const purgeAlerts = (purge: AlertPurge) =>
  repeat('alerts of deleted projects', interval, async (stopping) => {
    while (!stopping.aborted && (await purge.removeOrphans(batch)) > 0);
  });
