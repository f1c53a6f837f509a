import { sql } from '@switchyard/database/sql';
import {
  type Package,
  type PackageFile,
  type PackageFormat,
  type PackageStatus,
  type PackageTag,
  shownStatuses,
} from '../domain/package';

/** A package `k` of a project `p` in the namespace `n`. */
export interface PackageRow {
  id: number;
  project_id: number;
  project_path: string;
  format: PackageFormat;
  name: string;
  version: string | null;
  status: PackageStatus;
  created_at: Date;
  last_downloaded_at: Date | null;
  last_pipeline_id: number | null;
  tags: { id: number; name: string; created_at: string; updated_at: string }[] | null;
}

export const lastPipeline = sql`(
  select max(l.pipeline_id) from package_pipelines l where l.package_id = k.id) as last_pipeline_id`;

/** Columns of `PackageRow`: tags come along, so a page is one statement. */
export const packageColumns = sql`k.id, k.project_id, n.full_path || '/' || p.path as project_path, k.format, k.name,
  k.version, k.status, k.created_at, k.last_downloaded_at, ${lastPipeline},
  (select json_agg(json_build_object('id', t.id, 'name', t.name, 'created_at', t.created_at, 'updated_at', t.updated_at) order by t.id)
   from package_tags t where t.package_id = k.id) as tags`;

const toTag = (packageId: number, tag: NonNullable<PackageRow['tags']>[number]): PackageTag => ({
  id: tag.id,
  packageId,
  name: tag.name,
  createdAt: new Date(tag.created_at),
  updatedAt: new Date(tag.updated_at),
});

export const toPackage = (row: PackageRow): Package => ({
  id: row.id,
  projectId: row.project_id,
  projectPath: row.project_path,
  format: row.format,
  name: row.name,
  version: row.version ?? undefined,
  status: row.status,
  createdAt: row.created_at,
  lastDownloadedAt: row.last_downloaded_at ?? undefined,
  tags: (row.tags ?? []).map((tag) => toTag(row.id, tag)),
  lastPipelineId: row.last_pipeline_id ?? undefined,
});

/** Package managers are given the files of `k`. */
export const isServed = sql`k.status = any(${[...shownStatuses, 'hidden']}::text[])`;

/** A file `f` with its content `c`. */
export interface PackageFileRow {
  id: number;
  package_id: number;
  file_name: string;
  size: number;
  md5: string;
  sha1: string;
  sha256: string;
  blob: string;
  metadata: Record<string, unknown>;
  pipeline_id: number | null;
  created_at: Date;
}

export const fileColumns = sql`f.id, f.package_id, f.file_name, c.size, encode(c.md5, 'hex') as md5,
  encode(c.sha1, 'hex') as sha1, encode(c.sha256, 'hex') as sha256, c.blob, f.metadata, f.pipeline_id, f.created_at`;

export const filesFrom = sql`package_files f join contents c on c.id = f.content_id`;

export const toPackageFile = (row: PackageFileRow): PackageFile => ({
  id: row.id,
  packageId: row.package_id,
  fileName: row.file_name,
  size: row.size,
  md5: row.md5,
  sha1: row.sha1,
  sha256: row.sha256,
  blob: row.blob,
  metadata: row.metadata,
  pipelineId: row.pipeline_id ?? undefined,
  createdAt: row.created_at,
});
