import type { Changes } from './change.ports';

/** Days for which changes are kept. */
const keepDays = 7;
/** Positions that one transaction deletes. */
const batch = 2_000;

/** Deletes changes that are older than seven days, and what was passed over before. */
export const pruneChanges =
  (changes: Changes) =>
  async (stopping: AbortSignal): Promise<void> => {
    await changes.prunePassedOver(keepDays);
    while (!stopping.aborted && (await changes.prune(keepDays, batch)) > 0);
  };
