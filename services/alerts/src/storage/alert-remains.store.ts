import { type Database, sql } from '@switchyard/database';

/** What of the reception is kept for a while only. */
export interface AlertRemains {
  /** Deletes receipts older than `days`, at most `limit`; returns how many. */
  pruneReceipts(days: number, limit: number): Promise<number>;
  /** Forgets ends that were told more than `days` ago, at most `limit`; returns how many. */
  pruneEnds(days: number, limit: number): Promise<number>;
}

/** Opens the store. */
export const alertRemains = (db: Database): AlertRemains => ({
  pruneReceipts: async (days, limit) => {
    const rows = await db.query(sql`
      delete from alert_receipts where id in (
        select id from alert_receipts where received_at < now() - ${days} * interval '1 day' limit ${limit})
      returning 1`);
    return rows.length;
  },
  pruneEnds: async (days, limit) => {
    const rows = await db.query(sql`
      delete from episode_ends where (project_id, fingerprint) in (
        select project_id, fingerprint from episode_ends where updated_at < now() - ${days} * interval '1 day' limit ${limit})
      returning 1`);
    return rows.length;
  },
});
