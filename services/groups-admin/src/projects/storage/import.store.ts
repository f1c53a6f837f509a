import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { directoryHead } from '../../directory';
import type { ImportStatus } from '../domain/project-row';

/** Imports in the database. No row of the directory shows how they stand. */
export const importStore = (db: Database) => ({
  async findByKey(key: string): Promise<number | undefined> {
    const row = await db.one<{ id: number }>(sql`
      select id from projects where import_key = ${key}::uuid and marked_for_deletion_at is null`);
    return row?.id;
  },

  closing: (namespaceId: number): Promise<{ ip_ranges: string | null; tier: string | null } | undefined> =>
    db.one(sql`
      select root.settings ->> 'ip_restriction_ranges' as ip_ranges, root.tier
      from namespaces n join namespaces root on root.id = n.ancestry[1] where n.id = ${namespaceId}`),

  directorySequence: () => directoryHead(db),

  async setStatus(id: number, status: ImportStatus, error: string | undefined): Promise<void> {
    await db.query(sql`
      update projects set import_status = ${status}::text, import_error = ${error ?? null}::text
      where id = ${id} and import_key is not null
        and (${status}::text = 'scheduled' or import_status in ('scheduled', 'started'))`);
  },
});
