import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { PayloadFormat } from '../../payloads';
import type { AlertReceipt, ItemOutcome } from '../domain/alert-receipt';

/** Stores receipts. */
export interface AlertReceiptStore {
  /** A receipt of a project; `id` is a UUID. */
  find(projectId: number, id: string): Promise<AlertReceipt | undefined>;
}

/** Opens the store. */
export const alertReceiptStore = (db: Database): AlertReceiptStore => ({
  async find(projectId, id) {
    const row = await db.one<{
      integration_id: number;
      received_at: Date;
      format: PayloadFormat;
      items: ItemOutcome[];
    }>(sql`
      select integration_id, received_at, format, items from alert_receipts where id = ${id}::uuid and project_id = ${projectId}`);
    return (
      row && {
        id,
        integrationId: row.integration_id,
        receivedAt: row.received_at,
        format: row.format,
        items: row.items,
      }
    );
  },
});
