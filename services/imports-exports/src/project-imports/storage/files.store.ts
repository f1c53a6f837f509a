import { createHash } from 'node:crypto';
import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { ForeignFile } from '../domain/linked-files';
import type { ImportCounts } from '../domain/shown-import';

interface Row {
  source: string;
  link: string | null;
  markdown: string | null;
  reason: string | null;
  total: number;
}

const digestOf = (link: string): string => createHash('sha256').update(link).digest('hex');

/** Opens the store. */
export const filesStore = (db: Database) => ({
  async known(
    importId: number,
    links: readonly string[],
  ): Promise<{ readonly known: ReadonlyMap<string, ForeignFile>; readonly total: number }> {
    const byDigest = new Map(links.map((link) => [digestOf(link), link]));
    // One row more, which has the total, is there also where none is known.
    const rows = await db.query<Row>(sql`
      select encode(f.source, 'hex') as source, f.link, f.markdown, f.reason, t.total
      from (select count(*)::int as total from import_files where import_id = ${importId}) t
      left join import_files f on f.import_id = ${importId}
        and f.source in (select decode(given, 'hex') from unnest(${[...byDigest.keys()]}::text[]) given)`);
    const known = new Map<string, ForeignFile>();
    for (const { source, link, markdown, reason } of rows) {
      const named = byDigest.get(source);
      if (named === undefined) continue;
      if (link !== null && markdown !== null) known.set(named, { link, markdown });
      else known.set(named, { reason: reason ?? '', mayPass: false, retryAfter: 0 });
    }
    return { known, total: rows[0]?.total ?? 0 };
  },

  async record(importId: number, link: string, file: ForeignFile): Promise<void> {
    const brought = 'reason' in file ? undefined : file;
    const reason = 'reason' in file ? file.reason : null;
    await db.query(sql`
      insert into import_files (import_id, source, link, markdown, reason)
      values (${importId}, decode(${digestOf(link)}, 'hex'), ${brought?.link ?? null}::text, ${brought?.markdown ?? null}::text,
        ${reason}::text)
      on conflict do nothing`);
  },

  /** How many files texts link to, and how many of them are here. */
  async counts(importId: number): Promise<ImportCounts> {
    const row = await db.one<{ fetched: number; imported: number }>(sql`
      select count(*)::int as fetched, count(link)::int as imported from import_files where import_id = ${importId}`);
    return row ?? { fetched: 0, imported: 0 };
  },
});
