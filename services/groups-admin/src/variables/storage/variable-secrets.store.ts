import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { EncryptedTable } from '@switchyard/secrets';
import { identityOf, type VariableRow } from './variable.columns';

/** The values of variables as a rotation of keys sees them (D7). */
export const variableSecrets = (db: Database): EncryptedTable => ({
  name: 'variables',

  async staleAfter(id, keyId, limit) {
    const rows = await db.query<Pick<VariableRow, 'id' | 'namespace_id' | 'project_id' | 'key' | 'value'>>(sql`
      select id, namespace_id, project_id, key, value from variables
      where id > ${id} and substring(value from 2 for 4) <> ${keyId} order by id limit ${limit}`);
    return rows.map((row) => ({ id: row.id, identity: identityOf(row), stored: row.value }));
  },

  // The value is compared, and `updated_at` stays: the variable is the same.
  replace: async ({ id, stored }, sealed) =>
    (await db.one(sql`update variables set value = ${sealed} where id = ${id} and value = ${stored} returning id`)) !==
    undefined,
});
