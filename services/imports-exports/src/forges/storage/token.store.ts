import type { Database } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import type { EncryptedTable } from '@switchyard/secrets';

/** Tables whose rows keep a token of a forge until their import ends. */
export const tokenTables = ['project_imports', 'gist_imports'] as const;

type TokenTable = (typeof tokenTables)[number];

/** What a token is encrypted for; the key is the row's for good (D7). */
export const tokenIdentity = (table: TokenTable, key: string): string => `${table}:${key}`;

/** The tokens of a table as a rotation of keys sees them. */
export const tokenSecrets = (db: Database, table: TokenTable): EncryptedTable => ({
  name: `tokens of ${table}`,

  async staleAfter(id, keyId, limit) {
    const rows = await db.query<{ id: number; key: string; token: Buffer }>(sql`
      select id, key, token from ${raw(table)}
      where id > ${id} and token is not null and substring(token from 2 for 4) <> ${keyId} order by id limit ${limit}`);
    return rows.map((row) => ({ id: row.id, identity: tokenIdentity(table, row.key), stored: row.token }));
  },

  replace: async ({ id, stored }, sealed) =>
    (await db.one(
      sql`update ${raw(table)} set token = ${sealed} where id = ${id} and token = ${stored} returning id`,
    )) !== undefined,
});
