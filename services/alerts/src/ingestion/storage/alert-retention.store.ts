import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/** Opens the store. */
export const alertRetention = (db: Database) => ({
  pruneReceipts: async (days: number, limit: number): Promise<number> => {
    const rows = await db.query(sql`
      delete from alert_receipts where id in (
        select id from alert_receipts where received_at < now() - ${days} * interval '1 day' limit ${limit})
      returning 1`);
    return rows.length;
  },
  pruneEnds: async (days: number, limit: number): Promise<number> => {
    const rows = await db.query(sql`
      delete from episode_ends where (project_id, fingerprint) in (
        select project_id, fingerprint from episode_ends where updated_at < now() - ${days} * interval '1 day' limit ${limit})
      returning 1`);
    return rows.length;
  },
});
