import type { Database } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import { shownDays } from './attempt.list';

/** Days for which the ledger is kept. */
const ledgerDays = 30;
/** Hours beyond which no delivery of a content waits: all tries take an hour, and a receiver's queue is limited. */
const contentDays = shownDays + 1;
/** Rows one statement deletes. */
const batch = 5_000;

/**
 * Deletes requests after 2 days, contents after 3 and lines of the ledger after 30 (G-6-6). What still waits keeps its
 * line, and is skipped once its content is gone.
 */
export async function pruneDeliveries(db: Database, now: Date, stopping: AbortSignal): Promise<void> {
  const old = [
    { table: 'delivery_attempts', days: shownDays, also: sql`` },
    { table: 'delivery_contents', days: contentDays, also: sql`` },
    { table: 'deliveries', days: ledgerDays, also: sql`and finished_at is not null` },
  ];
  for (const { table, days, also } of old) {
    let deleted = batch;
    while (deleted === batch && !stopping.aborted) {
      const rows = await db.query(sql`
        delete from ${raw(table)} where id = any(array(
          select id from ${raw(table)} where created_at < ${now}::timestamptz - make_interval(days => ${days}) ${also}
          order by created_at limit ${batch}))
        returning 1`);
      deleted = rows.length;
    }
  }
  await db.query(sql`delete from delivery_receivers where waiting = 0`);
}
