import {
  type Database,
  listPage,
  type OrderColumn,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { joinProject } from '@switchyard/directory';
import {
  type NewPackageFile,
  type OpenedPackage,
  type OpenedWith,
  type PackageFile,
  type PackageFileKey,
  type PackageFormat,
  type PackageKey,
  shownStatuses,
} from '../domain/package';
import { packageList } from './package.list';
import {
  fileColumns,
  filesFrom,
  isServed,
  lastPipeline,
  type PackageFileRow,
  type PackageRow,
  packageColumns,
  toPackage,
  toPackageFile,
} from './package.rows';
import { packageMeasurements } from './package-measurement.store';

const fileId: OrderColumn = { name: 'id', expression: sql`f.id`, type: 'bigint' };

const fileOrders: Record<string, OrderColumn[]> = {
  id: [fileId],
  created_at: [{ name: 'created_at', expression: sql`f.created_at`, type: 'timestamptz' }, fileId],
  file_name: [{ name: 'file_name', expression: sql`f.file_name`, type: 'text' }, fileId],
};

/** Other versions that one package shows, the newest. */
const versionLimit = 100;

const shown = sql`k.status = any(${[...shownStatuses]}::text[])`;

async function newestFiles(
  db: Database,
  { projectId, format, name, version }: PackageKey,
  fileName: string,
  limit: number,
): Promise<PackageFile[]> {
  const rows = await db.query<PackageFileRow>(
    named(
      'newest_package_files',
      sql`
    select ${fileColumns} from packages k join package_files f on f.package_id = k.id
    join contents c on c.id = f.content_id
    where k.project_id = ${projectId} and k.format = ${format} and k.name = ${name}
      and coalesce(k.version, '') = ${version ?? ''} and ${isServed} and f.file_name = ${fileName}
    order by f.id desc limit ${limit}`,
    ),
  );
  return rows.map(toPackageFile);
}

/** Locks a package that is about to shrink; undefined when there is none. Fails with `precondition_failed` when it changed after `since`. */
async function lockUnmodified(
  tx: Tx,
  projectId: number,
  id: number,
  since: Date | undefined,
): Promise<Omit<PackageKey, 'projectId'> | undefined> {
  const [row] = await tx.query<{ format: PackageFormat; name: string; version: string | null }>(sql`
    select format, name, version from packages
    where project_id = ${projectId} and id = ${id} and status <> 'pending_destruction' for update`);
  if (row === undefined) return undefined;
  await requireUnmodified(tx, 'packages', id, since);
  await packageMeasurements.measureSoon(tx, projectId);
  return { format: row.format, name: row.name, version: row.version ?? undefined };
}

/** Opens the store. */
export const packageStore = (db: Database) => ({
  ...packageList(db),

  async open(tx: Tx, key: PackageKey, { creatorId, status, metadata }: OpenedWith): Promise<OpenedPackage> {
    const { projectId, format, name, version } = key;
    const [row] = await tx.query<OpenedPackage>(sql`
      insert into packages as k (project_id, format, name, version, creator_id, status, metadata)
      values (${projectId}, ${format}, ${name}, ${version ?? null}, ${creatorId ?? null}, ${status ?? 'default'},
        ${JSON.stringify(metadata ?? {})}::jsonb)
      on conflict (project_id, format, name, coalesce(version, '')) where status <> 'pending_destruction'
      do update set updated_at = now(), status = coalesce(${status ?? null}, k.status),
        metadata = coalesce(${metadata === undefined ? null : JSON.stringify(metadata)}::jsonb, k.metadata)
      returning id, xmax = 0 as created`);
    await packageMeasurements.measureSoon(tx, projectId);
    return row as OpenedPackage;
  },

  async describe(
    tx: Tx,
    { projectId, format, name, version }: PackageKey,
    { status, metadata }: { status: 'default' | 'deprecated'; metadata: Readonly<Record<string, unknown>> },
  ): Promise<boolean> {
    const rows = await tx.query(sql`
      update packages k set status = ${status}, metadata = ${JSON.stringify(metadata)}::jsonb, updated_at = now()
      where k.project_id = ${projectId} and k.format = ${format} and k.name = ${name}
        and coalesce(k.version, '') = ${version ?? ''} and ${shown} returning 1`);
    return rows.length > 0;
  },

  async hasFile(tx: Tx, packageId: number, fileName: string): Promise<boolean> {
    const rows = await tx.query(sql`
      select 1 from package_files where package_id = ${packageId} and file_name = ${fileName} limit 1`);
    return rows.length > 0;
  },

  async addFile(tx: Tx, { packageId, contentId, fileName, metadata, pipelineId }: NewPackageFile) {
    const [row] = await tx.query<{ id: number; created_at: Date }>(sql`
      insert into package_files (package_id, content_id, file_name, metadata, pipeline_id)
      values (${packageId}, ${contentId}, ${fileName}, ${JSON.stringify(metadata)}::jsonb, ${pipelineId ?? null})
      returning id, created_at`);
    if (pipelineId !== undefined)
      await tx.query(sql`
        insert into package_pipelines (package_id, pipeline_id) values (${packageId}, ${pipelineId})
        on conflict do nothing`);
    const { id, created_at: createdAt } = row as { id: number; created_at: Date };
    return { id, createdAt };
  },

  findFiles: (key: PackageKey, fileName: string, limit: number): Promise<PackageFile[]> =>
    newestFiles(db, key, fileName, limit),

  async findFile(key: PackageKey, fileName: string): Promise<PackageFile | undefined> {
    const [file] = await newestFiles(db, key, fileName, 1);
    return file;
  },

  async findFileById(projectId: number, packageId: number, id: number): Promise<PackageFile | undefined> {
    const row = await db.one<PackageFileRow>(sql`
      select ${fileColumns} from ${filesFrom} join packages k on k.id = f.package_id
      where k.project_id = ${projectId} and k.id = ${packageId} and f.id = ${id} and ${isServed}`);
    return row && toPackageFile(row);
  },

  async recordDownloads(packageIds: readonly number[]): Promise<void> {
    // Locked in one order, so that two processes never wait for each other.
    await db.query(
      named(
        'record_downloads',
        sql`
      with due as (
        select id from packages
        where id = any(${[...packageIds]}::bigint[])
          and (last_downloaded_at is null or last_downloaded_at < now() - interval '1 minute')
        order by id for no key update)
      update packages set last_downloaded_at = now() from due where packages.id = due.id`,
      ),
    );
  },

  async find(projectId: number, id: number) {
    const row = await db.one<PackageRow>(sql`
      select ${packageColumns} from packages k ${joinProject(sql`k.project_id`)}
      where k.project_id = ${projectId} and k.id = ${id} and ${shown}`);
    if (row === undefined) return undefined;
    const versions = await db.query<Pick<PackageRow, 'id' | 'version' | 'created_at' | 'last_pipeline_id'>>(sql`
      select k.id, k.version, k.created_at, ${lastPipeline} from packages k
      where k.project_id = ${projectId} and k.format = ${row.format} and k.name = ${row.name} and k.id <> ${id} and ${shown}
      order by k.id desc limit ${versionLimit}`);
    return {
      found: toPackage(row),
      versions: versions.map((one) => ({
        id: one.id,
        version: one.version ?? undefined,
        createdAt: one.created_at,
        lastPipelineId: one.last_pipeline_id ?? undefined,
      })),
    };
  },

  async exists(projectId: number, id: number): Promise<boolean> {
    const row = await db.one(sql`
      select 1 from packages where project_id = ${projectId} and id = ${id} and status <> 'pending_destruction'`);
    return row !== undefined;
  },

  async pageOfPipelines(packageId: number, request: PageRequest): Promise<{ rows: number[]; page: PageInfo }> {
    const { rows, page } = await listPage<{ id: number }>({
      db,
      name: 'list_package_pipelines',
      select: sql`l.pipeline_id as id`,
      from: sql`package_pipelines l`,
      where: [sql`l.package_id = ${packageId}`],
      orders: { id: [{ name: 'id', expression: sql`l.pipeline_id`, type: 'bigint' }] },
      request,
      count: false,
    });
    return { rows: rows.map(({ id }) => id), page };
  },

  async pageOfFiles(packageId: number, request: PageRequest): Promise<{ rows: PackageFile[]; page: PageInfo }> {
    const { rows, page } = await listPage<PackageFileRow>({
      db,
      name: 'list_package_files',
      select: fileColumns,
      from: filesFrom,
      countFrom: sql`package_files f`,
      where: [sql`f.package_id = ${packageId}`],
      orders: fileOrders,
      request,
      count: true,
    });
    return { rows: rows.map(toPackageFile), page };
  },

  async markForDestruction(tx: Tx, projectId: number, id: number, since: Date | undefined) {
    const key = await lockUnmodified(tx, projectId, id, since);
    if (key !== undefined)
      await tx.query(sql`update packages set status = 'pending_destruction', updated_at = now() where id = ${id}`);
    return key;
  },

  async deleteFile(tx: Tx, { projectId, packageId, fileId: id }: PackageFileKey, since: Date | undefined) {
    const key = await lockUnmodified(tx, projectId, packageId, since);
    if (key === undefined) return undefined;
    const deleted = await tx.query(sql`
      delete from package_files where id = ${id} and package_id = ${packageId} returning 1`);
    if (deleted.length === 0) return undefined;
    await tx.query(sql`update packages set updated_at = now() where id = ${packageId}`);
    return key;
  },

  async destroy(limit: number): Promise<number> {
    const rows = await db.query(sql`
      delete from packages where id in (
        select id from packages where status = 'pending_destruction' order by id limit ${limit} for update skip locked)
      returning 1`);
    return rows.length;
  },
});
