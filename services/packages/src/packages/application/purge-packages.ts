import { repeat } from '@switchyard/background';

/** Removes rows of deleted projects and groups. */
export interface PackagePurge {
  /** Removes up to `limit` rows of each table that belong to deleted projects and groups; returns how many. */
  removeOrphans(limit: number): Promise<number>;
}

/** Milliseconds between two runs: purged rows are hidden already, so it is not urgent. */
const interval = 60_000;

/** Rows of one statement; keeps its locks short. */
const batch = 500;

/** Purges the packages of deleted projects (D5), now and every minute; then their contents are collected. */
export const purgePackages = (purge: PackagePurge, collectSoon: () => void) =>
  repeat('packages of deleted projects', interval, async (stopping) => {
    let purged = false;
    while (!stopping.aborted && (await purge.removeOrphans(batch)) > 0) {
      purged = true;
    }
    if (purged) collectSoon();
  });
