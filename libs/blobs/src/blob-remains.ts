import { type Database, type Tx, unguarded } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/**
 * Blobs that no row names, and from when on they may go: those that are being uploaded, and those whose row has gone.
 * They lie in the table `blob_remains (blob text primary key, due_at timestamptz)` of the service.
 */
export interface BlobRemains {
  /** Records a blob before it is written, so that it is pruned after an hour unless a row names it. */
  expect(blob: string): Promise<void>;
  /** Gives a blob that is still being written another hour; one that was pruned stays pruned. */
  renew(blob: string): Promise<void>;
  /** Within the transaction that names an expected blob; false when it has been pruned. */
  keep(tx: Tx, blob: string): Promise<boolean>;
  /** Makes an expected blob due for pruning. */
  discard(blob: string): Promise<void>;
  /** Blobs that are due, at most `limit`, locked against other processes until the transaction ends. */
  lockDue(tx: Tx, limit: number): Promise<string[]>;
  /** Deletes the records of removed blobs, and makes those that could not be removed due in ten minutes. */
  settle(tx: Tx, removed: readonly string[], stuck: readonly string[]): Promise<void>;
}

/**
 * Opens the table of a service. What it writes on the way of an upload is no part of the upload: a failure after it has
 * begun nothing.
 */
export const blobRemains = (db: Database): BlobRemains => ({
  async expect(blob) {
    await unguarded(() =>
      db.query(sql`insert into blob_remains (blob, due_at) values (${blob}, now() + interval '1 hour')`),
    );
  },

  async renew(blob) {
    await unguarded(() =>
      db.query(sql`update blob_remains set due_at = now() + interval '1 hour' where blob = ${blob}`),
    );
  },

  async keep(tx, blob) {
    return (await tx.query(sql`delete from blob_remains where blob = ${blob} returning 1`)).length > 0;
  },

  async discard(blob) {
    await unguarded(() => db.query(sql`update blob_remains set due_at = now() where blob = ${blob}`));
  },

  async lockDue(tx, limit) {
    // Timestamps are rounded to milliseconds: a row that is due now may be stored half a millisecond ahead.
    const rows = await tx.query<{ blob: string }>(sql`
      select blob from blob_remains where due_at <= now() + interval '1 millisecond' order by due_at limit ${limit} for update skip locked`);
    return rows.map(({ blob }) => blob);
  },

  async settle(tx, removed, stuck) {
    if (removed.length > 0) await tx.query(sql`delete from blob_remains where blob = any(${[...removed]}::text[])`);
    if (stuck.length === 0) return;
    await tx.query(
      sql`update blob_remains set due_at = now() + interval '10 minutes' where blob = any(${[...stuck]}::text[])`,
    );
  },
});
