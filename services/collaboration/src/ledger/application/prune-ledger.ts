import { repeat } from '@switchyard/background';

/** Milliseconds between two prunings: entries are kept for 30 days. */
const interval = 600_000;

/** Entries one statement removes; keeps its locks short. */
const batch = 5_000;

/** Removes old entries, now and every ten minutes. */
export const pruneLedger = (forget: (limit: number) => Promise<number>) =>
  repeat('old entries of the ledger', interval, async (stopping) => {
    while (!stopping.aborted && (await forget(batch)) === batch);
  });
