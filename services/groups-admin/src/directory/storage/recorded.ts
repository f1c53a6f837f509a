import type { SqlExecutor, Tx } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';
import { directoryChannel } from '../domain/directory-channel';
import { appendDirectoryChanges, type DirectoryRowChange } from './directory-change';
import { type DirectoryKind, directoryTables } from './directory-tables';

/**
 * A transaction that appends the changes of the directory at its end (ADR 20). `query` and `one` refuse a statement
 * that writes to a table of the directory: such a write goes through `write`, `erase` or `writeHidden`, so none can be
 * left out.
 */
export interface DirectoryTx extends Tx {
  /** Runs a statement that inserts or changes rows of `kind` and returns their `id`; their changes are recorded. */
  write<T extends { id: number }>(kind: DirectoryKind, statement: Sql): Promise<T[]>;
  /** Records rows that were written in another way. */
  changed(kind: DirectoryKind, ids: readonly number[]): void;
  /**
   * Deletes rows and records their deletion, with what they were.
   * @param clear deletes what refers to them; it runs after they were read
   */
  erase(kind: DirectoryKind, ids: readonly number[], clear?: () => Promise<void>): Promise<void>;
  /** Runs a write that changes no column that the directory shows: a counter, the time of a mark. */
  writeHidden(statement: Sql): Promise<void>;
  /**
   * Runs `append` once the changes have their numbers, with the last one. It may append events and nothing else: the
   * row of the sequence is locked, so a wait for another lock would hold up every other change and could deadlock.
   */
  withSequence(append: (sequence: number) => Promise<void>): void;
}

const tables = [...Object.values(directoryTables).map(({ table }) => table), 'label_priorities'].join('|');
const verbs = 'insert\\s+into|update|delete\\s+from|merge\\s+into|truncate(?:\\s+table)?';
const writesDirectory = new RegExp(`\\b(?:${verbs})\\s+(?:only\\s+)?(?:"?public"?\\.)?"?(?:${tables})\\b`, 'i');

function refuseUnrecorded(query: Sql): Sql {
  if (writesDirectory.test(query.text)) throw new Error(`a write to the directory was not recorded: ${query.text}`);
  return query;
}

/** Changes by kind, in the order in which the kinds were first written; deletions where they happened. */
type Recorded = { readonly kind: DirectoryKind; readonly ids: Set<number> } | { readonly erased: DirectoryRowChange[] };

/**
 * Runs `work` in the transaction `tx` and appends the changes that it recorded. Rows are read at the end, once each, so
 * a row that was written twice is one change. The sequence is the last lock that the transaction takes. After the
 * commit, readers are notified.
 */
export async function recorded<T>(tx: Tx, work: (tx: DirectoryTx) => Promise<T>): Promise<T> {
  const log: Recorded[] = [];
  const written = new Map<DirectoryKind, Set<number>>();
  const appends: ((sequence: number) => Promise<void>)[] = [];

  const changed = (kind: DirectoryKind, ids: readonly number[]): void => {
    let known = written.get(kind);
    if (known === undefined) {
      known = new Set();
      written.set(kind, known);
      log.push({ kind, ids: known });
    }
    for (const id of ids) known.add(id);
  };

  const result = await work({
    query: async <R>(query: Sql) => tx.query<R>(refuseUnrecorded(query)),
    one: async <R>(query: Sql) => tx.one<R>(refuseUnrecorded(query)),
    afterCommit: tx.afterCommit,
    notify: tx.notify,
    async write<R extends { id: number }>(kind: DirectoryKind, statement: Sql) {
      const rows = await tx.query<R>(statement);
      changed(
        kind,
        rows.map(({ id }) => id),
      );
      return rows;
    },
    changed,
    async erase(kind, ids, clear) {
      if (ids.length === 0) return;
      const { table, changesOf } = directoryTables[kind];
      log.push({ erased: await changesOf(tx, ids, true) });
      await clear?.();
      await tx.query(sql`delete from ${raw(table)} where id = any(${[...ids]}::bigint[])`);
    },
    writeHidden: async (statement) => void (await tx.query(statement)),
    withSequence: (append) => void appends.push(append),
  });

  const changes = await read(tx, log);
  if (changes.length === 0 && appends.length === 0) return result;
  const sequence = await appendDirectoryChanges(tx, changes);
  for (const append of appends) await append(sequence);
  if (changes.length > 0) tx.notify(directoryChannel);
  return result;
}

async function read(tx: SqlExecutor, log: readonly Recorded[]): Promise<DirectoryRowChange[]> {
  const changes: DirectoryRowChange[] = [];
  for (const entry of log) {
    changes.push(
      ...('erased' in entry ? entry.erased : await directoryTables[entry.kind].changesOf(tx, [...entry.ids])),
    );
  }
  return changes;
}
