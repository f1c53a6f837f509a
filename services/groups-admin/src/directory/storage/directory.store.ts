import type { Database, SqlExecutor } from '@switchyard/database';
import { named, raw, sql } from '@switchyard/database/sql';
import { directoryFormat } from '@switchyard/directory';
import { AppError } from '@switchyard/errors';
import { type DirectoryChange, DirectoryRow } from '@switchyard/protos/groups_admin/v1/directory';
import { type DirectoryTable, directoryTables } from './directory-tables';

interface JoinedRow {
  head: number;
  pruned: number;
  sequence: number | null;
  row: Buffer;
  deleted: boolean;
}

/** Rows of a batch of a snapshot. */
const batchRows = 1_000;
const pruneRows = 5_000;

async function* batchesOf(tx: SqlExecutor, { table, changesOf }: DirectoryTable): AsyncIterable<DirectoryRow[]> {
  for (let last = 0; ; ) {
    const ids = await tx.query<{ id: number }>(
      sql`select id from ${raw(table)} where id > ${last} order by id limit ${batchRows}`,
    );
    const end = ids.at(-1);
    if (end === undefined) return;
    const changes = await changesOf(
      tx,
      ids.map(({ id }) => id),
    );
    yield changes.map(({ row }) => ({ entity: row, format: directoryFormat }));
    last = end.id;
  }
}

/** Reads of the directory for the services that replicate it. */
export function directoryStore(db: Database) {
  return {
    /**
     * Changes after a sequence, and the directory's last sequence. @throws AppError gone when changes after `after`
     * have been pruned
     */
    async readChanges(after: number, limit: number): Promise<{ changes: DirectoryChange[]; head: number }> {
      // One statement, so that head, mark of pruning and changes agree.
      const rows = await db.query<JoinedRow>(
        named(
          'directory_changes',
          sql`
          select s.value as head, s.pruned, c.sequence, c.row, c.deleted
          from directory_sequence s
          left join lateral (
            select sequence, row, deleted from directory_changes
            where sequence > ${after}::bigint order by sequence limit ${limit}::int) c on true
          order by c.sequence`,
        ),
      );
      const [first] = rows;
      if (first === undefined) throw new Error('the directory has lost its sequence');
      if (after < first.pruned) throw new AppError('gone');
      const changes = rows.flatMap(({ sequence, row, deleted }) =>
        sequence === null ? [] : [{ sequence, row: DirectoryRow.decode(row), deleted }],
      );
      return { changes, head: first.head };
    },

    /** Every row at one sequence, in batches; the last one is empty. */
    async *snapshot(): AsyncIterable<{ rows: DirectoryRow[]; sequence: number }> {
      const client = await db.pool.connect();
      // Reported by the next statement as well; without a listener a lost connection would end the process.
      const lost = (): void => undefined;
      client.on('error', lost);
      const tx: SqlExecutor = {
        query: async <T>(query: { text: string; values: unknown[] }) =>
          (await client.query({ text: query.text, values: query.values })).rows as T[],
      };
      let broken: Error | undefined;
      try {
        await client.query('begin isolation level repeatable read read only');
        const [state] = await tx.query<{ value: number }>(sql`select value from directory_sequence`);
        const sequence = state?.value ?? 0;
        for (const table of Object.values(directoryTables)) {
          for await (const rows of batchesOf(tx, table)) yield { rows, sequence };
        }
        yield { rows: [], sequence };
      } finally {
        await client.query('rollback').catch((error: Error) => {
          broken = error;
        });
        client.off('error', lost);
        client.release(broken);
      }
    },

    /** Deletes changes older than `keepDays` days; returns how many. */
    async prune(keepDays: number): Promise<number> {
      await db.query(sql`
        update directory_sequence set pruned = old.last
        from (select max(sequence) as last from directory_changes
          where created_at < now() - ${keepDays}::int * interval '1 day') as old
        where old.last > pruned`);
      let total = 0;
      for (;;) {
        const deleted = await db.query(sql`
          delete from directory_changes where sequence in (
            select c.sequence from directory_changes c, directory_sequence s
            where c.sequence <= s.pruned order by c.sequence limit ${pruneRows})
          returning sequence`);
        total += deleted.length;
        if (deleted.length < pruneRows) return total;
      }
    },
  };
}
