import { logger } from '@switchyard/telemetry';

/** Rows one look-up reads. */
const batch = 100;

/** Rows that wait for work. */
export interface WorkedOff<Row extends { readonly id: number }> {
  /** The next rows with ids above `after`, ascending, at most `limit`. */
  next(after: number, limit: number): Promise<readonly Row[]>;
  /** Does the work for one row, in a transaction of its own, so that a crash loses no more than the current one. */
  work(row: Row): Promise<unknown>;
}

/**
 * Does the work for all rows, one after another. A row that fails is logged under `name` and passed over, so that it
 * holds up no other.
 * @returns how many failed; the rest was done unless `stopping` is aborted
 */
export async function workOff<Row extends { readonly id: number }>(
  name: string,
  { next, work }: WorkedOff<Row>,
  stopping: AbortSignal,
): Promise<number> {
  let failed = 0;
  let last = 0;
  while (!stopping.aborted) {
    const rows = await next(last, batch);
    for (const row of rows) {
      if (stopping.aborted) return failed;
      last = row.id;
      await work(row).catch((error) => {
        failed += 1;
        logger.warn({ err: error, work: name, id: row.id }, 'background work failed and is tried again');
      });
    }
    if (rows.length < batch) return failed;
  }
  return failed;
}
