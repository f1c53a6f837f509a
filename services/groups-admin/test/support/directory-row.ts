import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type DirectoryNamespace, DirectoryRow } from '@switchyard/protos/groups_admin/v1/directory';

/** A namespace as the directory had it last. */
export async function namespaceRow(db: Database, id: number): Promise<DirectoryNamespace | undefined> {
  const last = await db.one<{ row: Buffer }>(sql`
    select row from directory_changes where entity = 'namespace' and entity_id = ${id} order by sequence desc limit 1`);
  const { entity } = DirectoryRow.decode(last?.row ?? Buffer.alloc(0));
  return entity?.$case === 'namespace' ? entity.value : undefined;
}
