import { randomUUID } from 'node:crypto';
import type { BlobRemains } from '@switchyard/blobs';
import type { Database } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';
import { leased, leaseStore } from '../../leases';
import { type ImportFailure, maxFailedItems, toFailure } from '../../project-imports';
import type {
  ArchiveImportLease,
  ArchiveImportStatus,
  ImportPlace,
  LeftOut,
  NewArchiveImport,
} from '../domain/archive-import';

const columns =
  raw(`x.id, x.key, x.project_id, x.author_id, x.author_admin, x.author_external, x.address, x.request_id, x.namespace,
  x.name, x.path, x.overrides, x.blob, x.size, x.stage, x.page, x.attempts, x.pauses`);

const toLease = (row: Record<string, unknown>, lease: string): ArchiveImportLease => ({
  id: row.id as number,
  import: {
    key: row.key as string,
    author: {
      userId: row.author_id as number,
      admin: row.author_admin as boolean,
      external: row.author_external as boolean,
    },
    address: (row.address as string | null) ?? undefined,
    requestId: row.request_id as string,
    namespace: row.namespace as string,
    name: row.name as string,
    path: row.path as string,
    overrides: row.overrides as Record<string, unknown>,
    blob: row.blob as string,
    size: row.size as number,
  },
  projectId: (row.project_id as number | null) ?? undefined,
  place: { stage: row.stage as number, page: row.page as number },
  lease,
  attempt: row.attempts as number,
  pauses: row.pauses as number,
});

const isOpen = sql`x.status in ('scheduled', 'started')`;

/** Makes the blobs of imports due. @param gone a statement that returns them as `blob` */
const due = (gone: Sql): Sql => sql`
  with gone as (${gone}),
  kept as (
    insert into blob_remains (blob, due_at) select blob, now() from gone where blob is not null
    on conflict (blob) do update set due_at = now())
  select 1 from gone`;

/** Ends an import, with the lease of who ends it; its row keeps no blob then. @param which a condition on `x` */
const ended = (which: Sql, status: ArchiveImportStatus, problem: string | undefined): Sql =>
  due(sql`
    update archive_imports x set status = ${status}, problem = ${problem ?? null}::text, blob = null, address = null, lease = null,
      leased_until = null, ended_at = now()
    from (select id, blob from archive_imports x where ${which} and ${isOpen} for update) old where x.id = old.id
    returning old.blob`);

/** Opens the store. */
export const archiveImportStore = (
  db: Database,
  remains: Pick<BlobRemains, 'keep'>,
  leases = leaseStore(db, 'archive_imports'),
) => ({
  add: ({ author, ...one }: NewArchiveImport): Promise<ArchiveImportLease | undefined> =>
    db.transaction(async (tx) => {
      if (!(await remains.keep(tx, one.blob))) return undefined;
      const lease = randomUUID();
      const row = await tx.one(sql`
        insert into archive_imports as x (key, author_id, author_admin, author_external, address, request_id, namespace, name, path,
          overrides, blob, size, attempts, lease, leased_until)
        values (${one.key}::uuid, ${author.userId}, ${author.admin}, ${author.external}, ${one.address ?? null}, ${one.requestId}, ${one.namespace},
          ${one.name}, ${one.path}, ${JSON.stringify(one.overrides)}::jsonb, ${one.blob}, ${one.size}, 0, ${lease}::uuid, ${leased})
        returning ${columns}`);
      return row && toLease(row, lease);
    }),

  async remove({ id, lease }: ArchiveImportLease): Promise<void> {
    await db.query(
      due(
        sql`delete from archive_imports where id = ${id} and lease = ${lease}::uuid and project_id is null returning blob`,
      ),
    );
  },

  async claim(): Promise<ArchiveImportLease | undefined> {
    const lease = randomUUID();
    const row = await db.one(sql`
      update archive_imports x set attempts = attempts + 1, lease = ${lease}::uuid, leased_until = ${leased}
      where id = (
        select x.id from archive_imports x where ${isOpen} and ${leases.isFree}
        order by x.id limit 1 for update skip locked)
      returning ${columns}`);
    return row && toLease(row, lease);
  },

  extend: ({ id, lease }: ArchiveImportLease) => leases.extend(id, lease),

  release: ({ id, lease }: ArchiveImportLease, seconds: number, isPause = false) =>
    leases.giveBack(id, lease, seconds, isPause ? 'paused' : 'failed'),

  async begin({ id, lease }: ArchiveImportLease, projectId: number): Promise<boolean> {
    const rows = await db.query(sql`
      update archive_imports x set project_id = ${projectId}, status = 'started'
      where id = ${id} and lease = ${lease}::uuid and ${isOpen} returning 1`);
    return rows.length > 0;
  },

  async save(
    { id, lease }: ArchiveImportLease,
    { stage, page }: ImportPlace,
    left: { readonly stage: string; readonly items: readonly LeftOut[] },
  ): Promise<boolean> {
    const rows = await db.query(sql`
      with held as (
        update archive_imports x set stage = ${stage}, page = ${page}, attempts = 1, pauses = 0, leased_until = ${leased}
        where id = ${id} and lease = ${lease}::uuid and ${isOpen} returning id),
      failed as (
        insert into archive_import_failures (import_id, stage, item, reason)
        select held.id, ${left.stage}::text, given.item, given.reason
        from held, unnest(${left.items.map(({ item }) => item.slice(0, 255).toWellFormed())}::text[],
          ${left.items.map(({ reason }) => reason)}::text[]) with ordinality as given (item, reason, place)
        order by given.place
        limit greatest(0, ${maxFailedItems} - (select count(*) from archive_import_failures where import_id = ${id}))
        on conflict do nothing)
      select 1 from held`);
    return rows.length > 0;
  },

  async failures(projectId: number): Promise<ImportFailure[]> {
    const rows = await db.query(sql`
      select f.id, f.stage, f.item, f.reason, f.created_at from archive_import_failures f
      join archive_imports x on x.id = f.import_id where x.project_id = ${projectId} order by f.id`);
    return rows.map(toFailure);
  },

  fileOf: (key: string): Promise<{ blob: string; size: number } | undefined> =>
    db.one<{ blob: string; size: number }>(
      sql`select x.blob, x.size from archive_imports x where x.key = ${key}::uuid and ${isOpen}`,
    ),

  async projectOf(id: number): Promise<number | undefined> {
    const row = await db.one<{ project_id: number | null }>(
      sql`select project_id from archive_imports where id = ${id}`,
    );
    return row?.project_id ?? undefined;
  },

  async end(
    { id, lease }: ArchiveImportLease,
    status: ArchiveImportStatus,
    problem: string | undefined,
  ): Promise<boolean> {
    return (await db.query(ended(sql`x.id = ${id} and x.lease = ${lease}::uuid`, status, problem))).length > 0;
  },

  async isOpen(projectId: number): Promise<boolean> {
    const rows = await db.query(sql`select 1 from archive_imports x where x.project_id = ${projectId} and ${isOpen}`);
    return rows.length > 0;
  },

  async cancel(projectId: number): Promise<void> {
    await db.query(ended(sql`x.project_id = ${projectId}`, 'canceled', undefined));
  },

  async sweep(): Promise<void> {
    await db.query(sql`
      delete from archive_imports x where ended_at < now() - interval '7 days'
        and not exists (select from import_placeholders p where p.archive_import_id = x.id)`);
  },
});
