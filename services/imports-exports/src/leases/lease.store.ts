import type { Database } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';

/** Seconds for which a row belongs to a process that does not report. */
const leaseSeconds = 30;

/** Until when a row belongs to a process that takes it now. */
export const leased = raw(`now() + interval '${leaseSeconds} seconds'`);

/** Leases of the rows of a table with `id`, `lease` and `leased_until`. */
export function leaseStore(db: Database, table: string) {
  const rows = raw(table);
  return {
    /**
     * Whether a row `x` waits, or its lease has run out, and nobody works on another one with its `author_id`. Two workers
     * may take one each of an author at the same moment: this is fairness, not a limit.
     */
    isFree: sql`
      (x.leased_until is null or x.leased_until < now()) and not exists (
        select 1 from ${rows} o
        where o.author_id = x.author_id and o.id <> x.id and o.lease is not null and o.leased_until >= now())`,

    /** Extends a lease by 30 seconds; false when another process has the row. */
    async extend(id: number, lease: string): Promise<boolean> {
      const found = await db.query(sql`
        update ${rows} set leased_until = ${leased} where id = ${id} and lease = ${lease}::uuid returning 1`);
      return found.length > 0;
    },

    /** Gives a row back, to be taken again after some seconds. */
    async release(id: number, lease: string, seconds: number): Promise<void> {
      await db.query(sql`
        update ${rows} set lease = null, leased_until = now() + make_interval(secs => ${seconds}::double precision)
        where id = ${id} and lease = ${lease}::uuid`);
    },

    /**
     * The same of a table with `attempts` and `pauses`: a failure alone counts as a try, and pauses are counted apart.
     * @param seconds until it may be taken again
     */
    async giveBack(id: number, lease: string, seconds: number, reason: 'failed' | 'stopped' | 'paused'): Promise<void> {
      await db.query(sql`
        update ${rows} set lease = null, leased_until = now() + make_interval(secs => ${seconds}::double precision),
          attempts = case when ${reason === 'failed'} then attempts else greatest(attempts - 1, 0) end,
          pauses = pauses + case when ${reason === 'paused'} then 1 else 0 end
        where id = ${id} and lease = ${lease}::uuid`);
    },
  };
}
