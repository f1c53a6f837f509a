import type { Database } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';

/** Rows of a train that are kept however old they are. */
const keptRows = 1_000;

/** What trains keep of the past one by one. */
export const trainRetentionStore = (db: Database) => {
  // The oldest row of a train says whether there is anything to look for.
  const prune = async (table: string, time: string, days: number, limit: number): Promise<number> => {
    const [rows, at] = [raw(table), raw(time)];
    const deleted = await db.query(sql`
      with due as (select now() - ${days}::int * interval '1 day' as until)
      delete from ${rows} where id in (
        select old.id from due cross join merge_trains t
        cross join lateral (select o.${at} as at from ${rows} o where o.train_id = t.id order by o.id limit 1) oldest
        cross join lateral (
          select k.id from ${rows} k where k.train_id = t.id and oldest.at < due.until order by k.id desc
          offset ${keptRows - 1}::int limit 1) kept
        cross join lateral (
          select d.id from ${rows} d where d.train_id = t.id and d.id < kept.id and d.${at} < due.until
          order by d.id limit ${limit}) old
        limit ${limit})
      returning 1`);
    return deleted.length;
  };
  return {
    /** Deletes pipelines of trains that need not be kept, at most `limit`; returns how many. */
    pruneRuns: (days: number, limit: number) => prune('merge_train_runs', 'opened_at', days, limit),
    /** Deletes departures that need not be kept, at most `limit`; returns how many. */
    pruneDepartures: (days: number, limit: number) => prune('merge_train_departures', 'at', days, limit),
  };
};
