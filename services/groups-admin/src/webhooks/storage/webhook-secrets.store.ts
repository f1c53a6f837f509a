import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { EncryptedTable } from '@switchyard/secrets';
import { identityOf } from './webhook.columns';

/** The secrets of webhooks as a rotation of keys sees them (D7). */
export const webhookSecrets = (db: Database): EncryptedTable => ({
  name: 'webhooks',

  async staleAfter(id, keyId, limit) {
    const rows = await db.query<{ id: number; secrets: Buffer }>(sql`
      select id, secrets from webhooks where id > ${id} and substring(secrets from 2 for 4) <> ${keyId} order by id limit ${limit}`);
    return rows.map((row) => ({ id: row.id, identity: identityOf(row.id), stored: row.secrets }));
  },

  // The value is compared, and `updated_at` stays: the webhook is the same.
  replace: async ({ id, stored }, sealed) =>
    (await db.one(
      sql`update webhooks set secrets = ${sealed} where id = ${id} and secrets = ${stored} returning id`,
    )) !== undefined,
});
