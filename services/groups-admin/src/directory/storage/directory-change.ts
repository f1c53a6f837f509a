import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { directoryFormat } from '@switchyard/directory';
import { DirectoryRow } from '@switchyard/protos/groups_admin/v1/directory';

/** A row of the directory after a change; for a deletion, as it last was. */
export interface DirectoryRowChange {
  row: NonNullable<DirectoryRow['entity']>;
  deleted?: boolean;
}

/**
 * Gives `changes` the next numbers of the directory's gap-free sequence, in the transaction of the change itself (D5).
 * It locks the one row of the sequence until the commit, so only `recorded` calls it, at the end of a transaction. Rows
 * are whole: the replica overwrites.
 * @returns the sequence of the last change; the present one when `changes` is empty
 */
export async function appendDirectoryChanges(tx: SqlExecutor, changes: readonly DirectoryRowChange[]): Promise<number> {
  const entities = changes.map(({ row }) => row.$case);
  const ids = changes.map(({ row }) => row.value.id);
  const rows = changes.map(({ row }) =>
    Buffer.from(DirectoryRow.encode({ entity: row, format: directoryFormat }).finish()),
  );
  const deleted = changes.map((change) => change.deleted ?? false);
  const [moved] = await tx.query<{ value: number }>(sql`
    with moved as (update directory_sequence set value = value + ${changes.length}::bigint returning value),
    written as (
      insert into directory_changes (sequence, entity, entity_id, row, deleted)
      select moved.value - ${changes.length}::bigint + given.position, given.entity, given.entity_id, given.row, given.deleted
      from moved, unnest(${entities}::text[], ${ids}::bigint[], ${rows}::bytea[], ${deleted}::boolean[])
        with ordinality as given (entity, entity_id, row, deleted, position))
    select value from moved`);
  if (moved === undefined) throw new Error('the directory has lost its sequence');
  return moved.value;
}
