import { randomUUID } from 'node:crypto';
import type { Database, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { Keyring } from '@switchyard/secrets';
import { tokenIdentity } from '../../forges';
import { leased, leaseStore } from '../../leases';
import {
  type EndedGistImport,
  type GistImportLease,
  type GistPlace,
  type GistResult,
  isWorthMail,
  listed,
  type SkippedGist,
} from '../domain/gist-import';

/** What a token is encrypted for. */
const identityOf = (key: string): string => tokenIdentity('gist_imports', key);

/** Opens the store. */
export const gistImportStore = (db: Database, ring: Keyring, leases = leaseStore(db, 'gist_imports')) => ({
  async add(authorId: number, host: string, token: string): Promise<boolean> {
    const key = randomUUID();
    const rows = await db.query(sql`
      insert into gist_imports (key, author_id, host, token)
      values (${key}::uuid, ${authorId}, ${host}, ${ring.encrypt(identityOf(key), token)}) on conflict do nothing returning 1`);
    return rows.length > 0;
  },

  async claim(): Promise<GistImportLease | undefined> {
    const lease = randomUUID();
    const row = await db.one<{
      id: number;
      key: string;
      authorId: number;
      host: string;
      token: Buffer;
      page: number;
      brought: number;
      attempt: number;
      askedAt: Date;
    }>(sql`
      update gist_imports set attempts = attempts + 1, lease = ${lease}::uuid, leased_until = ${leased}
      where id = (
        select id from gist_imports where status = 'started' and (leased_until is null or leased_until < now())
        order by coalesce(leased_until, created_at), id limit 1 for update skip locked)
      returning id, key, author_id as "authorId", host, token, page, brought, attempts as attempt, created_at as "askedAt"`);
    if (row === undefined) return undefined;
    const { key, token, page, brought, ...one } = row;
    return { ...one, place: { page, brought }, lease, token: ring.decrypt(identityOf(key), token) };
  },

  extend: ({ id, lease }: GistImportLease) => leases.extend(id, lease),
  release: ({ id, lease }: GistImportLease, seconds: number) => leases.release(id, lease, seconds),

  async save(
    { id, lease }: GistImportLease,
    { page, brought }: GistPlace,
    { imported, skipped }: GistResult,
  ): Promise<boolean> {
    const rows = await db.query(sql`
      update gist_imports set page = ${page}, brought = ${brought}, attempts = 0, leased_until = ${leased}, imported = imported + ${imported},
        skipped = skipped + ${skipped.length},
        skipped_gists = case when jsonb_array_length(skipped_gists) < ${listed}
          then skipped_gists || ${JSON.stringify(skipped)}::jsonb else skipped_gists end
      where id = ${id} and lease = ${lease}::uuid and status = 'started' and (page, brought) < (${page}, ${brought}) returning 1`);
    return rows.length > 0;
  },

  end: (
    { id, lease }: GistImportLease,
    problem: string | undefined,
    publish: (tx: Tx, ended: EndedGistImport) => Promise<void>,
  ): Promise<boolean> =>
    db.transaction(async (tx) => {
      const row = await tx.one<{
        authorId: number;
        imported: number;
        skipped: number;
        skippedGists: SkippedGist[];
      }>(sql`
        update gist_imports set status = ${problem === undefined ? 'finished' : 'failed'}, problem = ${problem ?? null}::text,
          token = null, lease = null, leased_until = null, ended_at = now()
        where id = ${id} and lease = ${lease}::uuid and status = 'started'
        returning author_id as "authorId", imported, skipped, skipped_gists as "skippedGists"`);
      if (row === undefined) return false;
      const ended: EndedGistImport = { ...row, id, problem, skippedGists: row.skippedGists.slice(0, listed) };
      if (isWorthMail(ended)) await publish(tx, ended);
      return true;
    }),

  async sweep(): Promise<void> {
    await db.query(sql`delete from gist_imports where ended_at < now() - interval '7 days'`);
  },
});
