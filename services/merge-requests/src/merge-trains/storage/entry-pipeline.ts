import { sql } from '@switchyard/database/sql';
import type { PipelineStatus } from '../../pipelines';
import type { MergeTrainEntry } from '../domain/merge-train-entry';

/** Columns `pipeline_id`, `pipeline_iid` … of a pipeline on the alias `pl`; read back by `pipelineOf`. */
export const pipelineColumns = sql`pl.id as pipeline_id, pl.iid as pipeline_iid, pl.sha as pipeline_sha, pl.ref as pipeline_ref,
  pl.status as pipeline_status, pl.source as pipeline_source, pl.created_at as pipeline_created_at,
  pl.updated_at as pipeline_updated_at`;

/** The pipeline that `pipelineColumns` put into a row; undefined when there is none. */
export function pipelineOf(row: object, projectId: number): MergeTrainEntry['pipeline'] {
  const values = row as Record<string, unknown>;
  if (values.pipeline_id === null || values.pipeline_id === undefined) return undefined;
  return {
    id: values.pipeline_id as number,
    iid: values.pipeline_iid as number,
    projectId,
    sha: values.pipeline_sha as string,
    ref: values.pipeline_ref as string,
    status: values.pipeline_status as PipelineStatus,
    source: values.pipeline_source as string,
    createdAt: values.pipeline_created_at as Date,
    updatedAt: values.pipeline_updated_at as Date,
  };
}
