import { repeat } from '@switchyard/background';

/** Removes rows of deleted projects. */
export interface AlertPurge {
  /**
   * Removes up to `limit` rows of each table that belong to deleted projects, and unlinks as many incidents that had
   * been moved to one, so that their alerts can get another. @returns how many rows
   */
  removeOrphans(limit: number): Promise<number>;
}

/** Milliseconds between two runs: purged rows are hidden already, so it is not urgent. */
const interval = 60_000;

/** Rows of one statement; keeps its locks short. */
const batch = 500;

/** Purges rows of deleted projects (D5), now and every minute. */
export const purgeAlerts = (purge: AlertPurge) =>
  repeat('alerts of deleted projects', interval, async (stopping) => {
    while (!stopping.aborted && (await purge.removeOrphans(batch)) > 0);
  });
