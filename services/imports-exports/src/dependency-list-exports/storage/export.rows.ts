import { raw } from '@switchyard/database/sql';
import type { SpecVersion } from '../../boms';
import type { DependencyListExport } from '../domain/dependency-list-export';

/** Columns of `toExport`, of the table `dependency_list_exports x`. */
export const exportColumns =
  raw(`x.id, x.kind, x.target_id, x.author_id, x.format, x.spec_version, x.send_email, x.status, x.problem,
  x.full_path, x.pipeline_id, x.sha, x.made_at, x.blob, x.size, encode(x.sha256, 'hex') as sha256, x.signature, x.expires_at`);

/** Whether the hour after its end is over; one that waits, or is made, is kept however long that takes. */
export const isOver = raw(`(x.expires_at <= now() and x.status in ('finished', 'failed'))`);

/** An export of a row with `exportColumns`. */
export const toExport = (row: Record<string, unknown>): DependencyListExport => ({
  id: row.id as number,
  kind: row.kind as DependencyListExport['kind'],
  targetId: row.target_id as number,
  authorId: row.author_id as number,
  format: row.format as DependencyListExport['format'],
  specVersion: row.spec_version as SpecVersion,
  sendEmail: row.send_email as boolean,
  status: row.status as DependencyListExport['status'],
  problem: (row.problem as string | null) ?? undefined,
  fullPath: row.full_path as string,
  pipeline:
    row.pipeline_id === null
      ? undefined
      : { pipelineId: row.pipeline_id as number, sha: row.sha as string, createdAt: row.made_at as Date },
  file:
    row.blob === null
      ? undefined
      : {
          blob: row.blob as string,
          size: row.size as number,
          sha256: row.sha256 as string,
          signature: row.signature as Buffer,
        },
  expiresAt: row.expires_at as Date,
});
