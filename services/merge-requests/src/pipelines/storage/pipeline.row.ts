import { given } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { userJson } from '@switchyard/directory';
import type { CommitStatus, CommitStatusView, Pipeline, PipelineView } from '../domain/pipeline';
import type { CommitStatusState, PipelineStatus } from '../domain/pipeline-status';

const number = (value: unknown): number | undefined => (value === null ? undefined : Number(value));

/** A row of `pipelines`. */
export const toPipeline = (row: Record<string, unknown>): Pipeline => ({
  id: row.id as number,
  iid: row.iid as number,
  projectId: row.project_id as number,
  sha: row.sha as string,
  beforeSha: given(row.before_sha),
  ref: row.ref as string,
  tag: row.tag as boolean,
  source: row.source as string,
  status: row.status as PipelineStatus,
  userId: row.user_id as number,
  mergeRequestId: given(row.merge_request_id),
  name: given(row.name),
  coverage: number(row.coverage),
  yamlErrors: given(row.yaml_errors),
  committedAt: given(row.committed_at),
  startedAt: given(row.started_at),
  finishedAt: given(row.finished_at),
  duration: given(row.duration),
  queuedDuration: given(row.queued_duration),
  archived: row.archived as boolean,
  jobTokensIssued: row.job_tokens_issued === true,
  createdAt: row.created_at as Date,
  updatedAt: row.updated_at as Date,
});

/** A row of `commit_statuses`. */
export const toCommitStatus = (row: Record<string, unknown>): CommitStatus => ({
  id: row.id as number,
  pipelineId: row.pipeline_id as number,
  sha: row.sha as string,
  ref: row.ref as string,
  name: row.name as string,
  status: row.status as CommitStatusState,
  targetUrl: given(row.target_url),
  description: given(row.description),
  coverage: number(row.coverage),
  allowFailure: row.allow_failure as boolean,
  userId: row.user_id as number,
  createdAt: row.created_at as Date,
  startedAt: given(row.started_at),
  finishedAt: given(row.finished_at),
});

/** Columns of `toPipelineView`, on the alias `pl`. */
export const pipelineSelect = sql`pl.*, ${userJson(sql`pl.user_id`)} as user_reference`;
/** Columns of `toStatusView`, on the alias `cs`. */
export const statusSelect = sql`cs.*, ${userJson(sql`cs.user_id`)} as user_reference`;

/** A pipeline with the user who made it. */
export const toPipelineView = (row: Record<string, unknown>): PipelineView => ({
  pipeline: toPipeline(row),
  user: given(row.user_reference),
});
/** A commit status with its author. */
export const toStatusView = (row: Record<string, unknown>): CommitStatusView => ({
  status: toCommitStatus(row),
  author: given(row.user_reference),
});
