import type { Database } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';

/** A fresh table formed like another, for what is rebuilt; anything an earlier rebuild left is dropped. */
export async function freshLike(db: Database, table: Sql, like: Sql): Promise<void> {
  await db.query(sql`drop table if exists ${table}`);
  await db.query(sql`create table ${table} (like ${like} including all)`);
}

/** The last id given out in a table: what has a higher one came while the rebuild ran. */
export async function lastId(db: Database, table: Sql): Promise<number> {
  const row = await db.one<{ last: number }>(sql`select coalesce(max(id), 0)::bigint as last from ${table}`);
  return row?.last ?? 0;
}
