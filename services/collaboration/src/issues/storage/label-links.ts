import type { Tx } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';

/** An issue or epic has these labels and no others. */
export async function replaceLabels(
  tx: Tx,
  kind: 'issue' | 'epic',
  id: number,
  labelIds: readonly number[],
): Promise<void> {
  const [table, objectId] = [raw(`${kind}_labels`), raw(`${kind}_id`)];
  await tx.query(sql`delete from ${table} where ${objectId} = ${id} and label_id <> all(${[...labelIds]}::bigint[])`);
  await tx.query(sql`
    insert into ${table} (${objectId}, label_id)
    select ${id}, label_id from unnest(${[...labelIds]}::bigint[]) as given (label_id) on conflict do nothing`);
}
