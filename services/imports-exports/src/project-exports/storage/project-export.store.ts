import { randomUUID } from 'node:crypto';
import type { BlobRemains } from '@switchyard/blobs';
import type { Database } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import { leased, leaseStore } from '../../leases';
import type { ArchiveFile, ExportState, ProjectExport, ProjectExportLease } from '../domain/project-export';

const columns = raw(
  `x.id, x.project_id, x.description, x.status, x.problem, x.blob, x.size, encode(x.sha256, 'hex') as sha256, x.created_at`,
);

const toExport = (row: Record<string, unknown>): ProjectExport => ({
  id: row.id as number,
  projectId: row.project_id as number,
  description: (row.description as string | null) ?? undefined,
  status: row.status as ProjectExport['status'],
  problem: (row.problem as string | null) ?? undefined,
  file:
    row.blob === null
      ? undefined
      : { blob: row.blob as string, size: row.size as number, sha256: row.sha256 as string },
  createdAt: row.created_at as Date,
});

/** Deletes exports and makes their blobs due. @param which a select of their ids */
const removed = (which: ReturnType<typeof sql>) => sql`
  with gone as (delete from project_exports where id in (${which}) returning blob),
  due as (
    insert into blob_remains (blob, due_at) select blob, now() from gone where blob is not null
    on conflict (blob) do update set due_at = now())
  select 1 from gone`;

/** Opens the store. */
export const projectExportStore = (
  db: Database,
  remains: Pick<BlobRemains, 'keep'>,
  leases = leaseStore(db, 'project_exports'),
) => ({
  async add(projectId: number, authorId: number, description: string | undefined): Promise<void> {
    // Who makes it with the description of before has lost the lease.
    await db.query(sql`
      insert into project_exports as x (project_id, author_id, description, expires_at)
      values (${projectId}, ${authorId}, ${description ?? null}, now() + interval '1 day')
      on conflict (project_id) where status = any (array['queued', 'started']) do update
      set description = excluded.description, status = 'queued', attempts = 0, lease = null, leased_until = null
      where x.description is distinct from excluded.description and excluded.description is not null`);
  },

  async state(projectId: number): Promise<ExportState> {
    const rows = await db.query(sql`
      (select ${columns} from project_exports x where x.project_id = ${projectId} and x.expires_at > now() order by x.id desc limit 1)
      union all
      (select ${columns} from project_exports x where x.project_id = ${projectId} and x.expires_at > now()
        and x.status = 'finished' order by x.id desc limit 1)
      order by id desc`);
    const [newest, ...others] = rows.map(toExport);
    return { newest, finished: others[0] };
  },

  async claim(): Promise<ProjectExportLease | undefined> {
    const lease = randomUUID();
    const row = await db.one(sql`
      update project_exports x set status = 'started', attempts = attempts + 1, lease = ${lease}::uuid, leased_until = ${leased}
      where id = (
        select x.id from project_exports x where x.status in ('queued', 'started') and ${leases.isFree}
        order by x.id limit 1 for update skip locked)
      returning ${columns}, attempts`);
    if (row === undefined) return undefined;
    const one = toExport(row);
    return { export: one, lease, attempt: row.attempts as number, askedAt: one.createdAt };
  },

  extend: ({ export: { id }, lease }: ProjectExportLease) => leases.extend(id, lease),
  release: ({ export: { id }, lease }: ProjectExportLease, seconds: number) => leases.release(id, lease, seconds),

  end: (
    { export: { id, projectId }, lease }: ProjectExportLease,
    outcome: { readonly file: ArchiveFile } | { readonly problem: string },
  ): Promise<boolean> =>
    db.transaction(async (tx) => {
      const file = 'file' in outcome ? outcome.file : undefined;
      const row = await tx.one(sql`
        update project_exports set status = ${file === undefined ? 'failed' : 'finished'}, problem = ${'problem' in outcome ? outcome.problem : null},
          blob = ${file?.blob ?? null}, size = ${file?.size ?? null}, sha256 = decode(${file?.sha256 ?? null}, 'hex'),
          lease = null, leased_until = null, ended_at = now(), expires_at = now() + interval '1 day'
        where id = ${id} and lease = ${lease}::uuid and status = 'started' returning 1`);
      if (row === undefined) return false;
      if (file === undefined) return true;
      if (!(await remains.keep(tx, file.blob))) throw new Error('the blob of an export was pruned');
      await tx.query(removed(sql`select id from project_exports where project_id = ${projectId} and id < ${id}`));
      return true;
    }),

  sweep: async (limit: number): Promise<number> =>
    (
      await db.query(
        removed(sql`
          select id from project_exports where expires_at <= now() and status in ('finished', 'failed')
          order by expires_at limit ${limit} for update skip locked`),
      )
    ).length,
});
