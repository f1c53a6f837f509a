import type { SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';

/** The sequence of the replica. */
export interface ReplicaState {
  /** Last change applied. */
  sequence: number;
  /** Counts rebuilds; 0: never filled. */
  generation: number;
  /** Least format of what its rows were written and stored with since the last rebuild. */
  format: number;
}

/** True when a migration has added columns that only a rebuild can fill. */
export async function wantsRefill(db: SqlExecutor): Promise<boolean> {
  const [state] = await db.query<{ refill: boolean }>(sql`select refill from directory.state`);
  return state?.refill ?? false;
}

/** The format of `directory.state`. A process that knows no formats moves the sequence or generation alone. */
export const knownFormat: Sql = sql`
  case when format_sequence = sequence and format_generation = generation then format else 0 end`;

/** The replica's sequence, as committed. */
export async function readState(db: SqlExecutor): Promise<ReplicaState> {
  const [state] = await db.query<ReplicaState>(
    sql`select sequence, generation, ${knownFormat} as format from directory.state`,
  );
  if (state === undefined) throw new Error('directory.state has no row');
  return state;
}
