import type { SqlExecutor } from './database';
import { type Sql, sql } from './statement';

/** Records of one page. */
const pageLength = 100;

/** Bytes of one page beside its first record. */
const pageBytes = 8 << 20;

/** Some rows as lines of JSON. */
export interface RecordPage {
  readonly lines: Buffer;
  readonly count: number;
  /** Id of the last row; 0 where there was none. */
  readonly next: number;
}

/**
 * The rows after an id as lines of JSON, in the order of their ids: at most 100, and 8 MiB beside the first. Only these
 * are brought together.
 * @param rows a select of `id` and of `record`, which is JSON
 */
export async function readRecords(db: SqlExecutor, rows: Sql, after: number): Promise<RecordPage> {
  const found = await db.query<{ id: number; record: string }>(sql`
    with page as materialized (
      select r.id, r.record::text as record from (${rows}) r where r.id > ${after} order by r.id limit ${pageLength}),
    measured as (
      select p.*, sum(octet_length(p.record)) over (order by p.id) - octet_length(p.record) as before from page p)
    select id, record from measured where before = 0 or before + octet_length(record) <= ${pageBytes} order by id`);
  const last = found.at(-1);
  const lines = Buffer.from(found.map(({ record }) => `${record}\n`).join(''));
  return { lines, count: found.length, next: last?.id ?? 0 };
}
