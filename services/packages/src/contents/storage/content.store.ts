import type { Database, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { ReceivedContent, StoredContent } from '../domain/content';

/** Opens the store. */
export const contentStore = (db: Database) => ({
  async keep(tx: Tx, { blob, size, sha256, sha1, md5, replaces }: ReceivedContent): Promise<number | undefined> {
    // The update that changes nothing locks the row: `collect` passes over it, or has deleted it before.
    const [kept] = await tx.query<{ id: number; blob: string }>(sql`
      insert into contents as c (sha256, sha1, md5, size, blob)
      values (decode(${sha256}, 'hex'), decode(${sha1}, 'hex'), decode(${md5}, 'hex'), ${size}::bigint, ${blob})
      on conflict (sha256) do update set size = c.size
      returning id, blob`);
    if (kept === undefined) return undefined;
    if (kept.blob !== blob && kept.blob !== replaces) {
      await tx.query(sql`update blob_remains set due_at = now() where blob = ${blob}`);
      return kept.id;
    }
    const remaining = await tx.query(sql`delete from blob_remains where blob = ${blob} returning 1`);
    if (remaining.length === 0) return undefined;
    if (kept.blob !== blob) {
      await tx.query(sql`
        with healed as (update contents set blob = ${blob} where id = ${kept.id} returning 1)
        insert into blob_remains (blob, due_at) select ${kept.blob}, now() from healed`);
    }
    return kept.id;
  },

  async blobOf(sha256: string): Promise<string | undefined> {
    const row = await db.one<{ blob: string }>(sql`select blob from contents where sha256 = decode(${sha256}, 'hex')`);
    return row?.blob;
  },

  async collect(tx: Tx, limit: number): Promise<number> {
    const rows = await tx.query(sql`
      with unused as (
        delete from contents where id in (
          select id from contents where uses = 0 order by id limit ${limit} for update skip locked)
        returning blob)
      insert into blob_remains (blob, due_at) select blob, now() from unused
      on conflict (blob) do update set due_at = now() returning 1`);
    return rows.length;
  },

  after: (id: number, limit: number): Promise<StoredContent[]> =>
    db.query<StoredContent>(sql`
      select id, blob, size, encode(sha256, 'hex') as sha256, encode(sha1, 'hex') as sha1, encode(md5, 'hex') as md5
      from contents where id > ${id} order by id limit ${limit}`),

  async exists(id: number): Promise<boolean> {
    return (await db.one(sql`select 1 from contents where id = ${id}`)) !== undefined;
  },
});
