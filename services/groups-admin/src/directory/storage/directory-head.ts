import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';

/** The last sequence of the directory: who has come this far knows all that is stored now (D5). */
export async function directoryHead(db: Pick<Database, 'one'>): Promise<number> {
  const row = await db.one<{ value: number }>(named('directory_head', sql`select value from directory_sequence`));
  return row?.value ?? 0;
}
