import { type Database, unguarded } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { RequestCount, RequestSum } from '../domain/request-count';

/** Opens the store: counters of all gateways, `RequestCounts` of the application. */
export const requestCountStore = (db: Database) => ({
  async add(counts: readonly RequestCount[]): Promise<RequestSum[]> {
    const [keys, added, seconds] = [
      counts.map(({ key }) => key),
      counts.map((one) => one.added),
      counts.map((one) => one.seconds),
    ];
    // Two gateways lock rows in the same order. To count begins nothing (ADR 49).
    const rows = await unguarded(() =>
      db.query<{ key: string; count: number; left: number }>(sql`
        insert into request_counts as c (key, count, ends_at)
        select key, added, now() + make_interval(secs => seconds)
        from unnest(${keys}::bytea[], ${added}::bigint[], ${seconds}::int[]) as given (key, added, seconds)
        order by key
        on conflict (key) do update set
          count = case when c.ends_at <= now() then 0 else c.count end + excluded.count,
          ends_at = case when c.ends_at <= now() then excluded.ends_at else c.ends_at end
        returning encode(key, 'hex') as key, greatest(0, count) as count,
          round(extract(epoch from ends_at - now()) * 1000)::float8 as left`),
    );
    const sums = new Map(rows.map(({ key, count, left }) => [key, { count, endsInMs: left }]));
    return keys.map((key) => sums.get(key.toString('hex')) ?? { count: 0, endsInMs: 0 });
  },

  async prune(): Promise<void> {
    // One that is counted on again right now is left alone, and nobody waits for what is locked here.
    await db.query(sql`
      delete from request_counts where key in (
        select key from request_counts where ends_at < now() - interval '1 minute' order by key for update skip locked)`);
  },
});
