import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { StoredSettings } from '../domain/instance-settings';
import { settingsChannel } from '../domain/settings-channel';

interface Row {
  settings: StoredSettings;
  version: number;
}

/** Settings of the instance in the database. */
export const settingsStore = (db: Database) => ({
  async read(): Promise<Row> {
    const row = await db.one<Row>(named('instance_settings', sql`select settings, version from instance_settings`));
    if (row === undefined) throw new Error('the instance has lost its settings');
    return row;
  },

  change: (decide: (settings: StoredSettings) => StoredSettings): Promise<Row> =>
    db.transaction(async (tx) => {
      const row = await tx.one<Row>(sql`select settings, version from instance_settings for update`);
      if (row === undefined) throw new Error('the instance has lost its settings');
      const settings = decide(row.settings);
      const version = row.version + 1;
      await tx.query(sql`
        update instance_settings set settings = ${JSON.stringify(settings)}::jsonb, version = ${version}, updated_at = now()`);
      tx.notify(settingsChannel);
      return { settings, version };
    }),
});
