import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { EncryptedTable } from '@switchyard/secrets';
import { identityOf, type SealedIntegration } from './integration.columns';

/** The secrets of integrations as a rotation of keys sees them (D7). */
export const integrationSecrets = (db: Database): EncryptedTable => ({
  name: 'integrations',

  async staleAfter(id, keyId, limit) {
    const rows = await db.query<
      Pick<SealedIntegration, 'id' | 'namespace_id' | 'project_id' | 'slug'> & { secrets: Buffer }
    >(
      sql`select id, namespace_id, project_id, slug, secrets from integrations
        where id > ${id} and substring(secrets from 2 for 4) <> ${keyId} order by id limit ${limit}`,
    );
    return rows.map((row) => ({ id: row.id, identity: identityOf(row), stored: row.secrets }));
  },

  // The value is compared, and `updated_at` stays: the integration is the same.
  replace: async ({ id, stored }, sealed) =>
    (await db.one(
      sql`update integrations set secrets = ${sealed} where id = ${id} and secrets = ${stored} returning id`,
    )) !== undefined,
});
