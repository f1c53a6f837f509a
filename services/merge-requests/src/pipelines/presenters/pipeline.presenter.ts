import { type UserRow, userReference } from '@switchyard/directory';
import { dateTime, optionalDateTime } from '../../repositories';
import type { CommitStatus, Pipeline, PipelineView } from '../domain/pipeline';
import type { PipelineStatus } from '../domain/pipeline-status';
import type { CiVariable, PipelineVariable } from '../domain/pipeline-variable';

/** Where the project of a pipeline is found. */
export interface PipelineRendering {
  readonly externalUrl: string;
  /** Full path of the project. */
  readonly fullPath: string;
}

const zeroSha = '0'.repeat(40);

/** Words of each status: text, label, group. */
const words: Record<PipelineStatus, readonly [text: string, label: string, group: string]> = {
  created: ['Created', 'created', 'created'],
  waiting_for_resource: ['Waiting', 'waiting for resource', 'waiting-for-resource'],
  preparing: ['Preparing', 'preparing', 'preparing'],
  waiting_for_callback: ['Waiting', 'waiting for callback', 'waiting-for-callback'],
  pending: ['Pending', 'pending', 'pending'],
  running: ['Running', 'running', 'running'],
  success: ['Passed', 'passed', 'success'],
  failed: ['Failed', 'failed', 'failed'],
  canceling: ['Canceling', 'canceling', 'canceling'],
  canceled: ['Canceled', 'canceled', 'canceled'],
  skipped: ['Skipped', 'skipped', 'skipped'],
  manual: ['Blocked', 'waiting for manual action', 'manual'],
  scheduled: ['Scheduled', 'scheduled', 'scheduled'],
};

/** Word of a status in hook bodies: `passed` for `success`. */
export const statusWord = (status: PipelineStatus): string => words[status][0].toLowerCase();

const detailsPath = (pipeline: Pick<Pipeline, 'id'>, fullPath: string): string =>
  `/${fullPath}/-/pipelines/${pipeline.id}`;

/** What the short form of a pipeline is made of. */
type PipelineBasic = Pick<
  Pipeline,
  'id' | 'iid' | 'projectId' | 'sha' | 'ref' | 'status' | 'source' | 'createdAt' | 'updatedAt'
>;

/** The short form of a pipeline (G-2-12). */
export const presentPipelineBasic = (pipeline: PipelineBasic, { externalUrl, fullPath }: PipelineRendering) => ({
  id: pipeline.id,
  iid: pipeline.iid,
  project_id: pipeline.projectId,
  sha: pipeline.sha,
  ref: pipeline.ref,
  status: pipeline.status,
  source: pipeline.source,
  created_at: dateTime(pipeline.createdAt),
  updated_at: dateTime(pipeline.updatedAt),
  web_url: `${externalUrl}${detailsPath(pipeline, fullPath)}`,
});

/** A pipeline as packages show it (G-2-36). */
export const presentPackagePipeline = ({ pipeline, user }: PipelineView, rendering: PipelineRendering) => ({
  ...presentPipelineBasic(pipeline, rendering),
  user: user === undefined ? null : userReference(user, rendering.externalUrl),
});

function detailedStatus(pipeline: Pipeline, fullPath: string) {
  const [text, label, group] = words[pipeline.status];
  const icon = `status_${pipeline.status}`;
  return {
    icon,
    text,
    label,
    group,
    tooltip: label,
    has_details: true,
    details_path: detailsPath(pipeline, fullPath),
    illustration: null,
    favicon: `/assets/ci_favicons/favicon_${icon}.png`,
  };
}

/** A pipeline in full (G-2-13). */
export const presentPipeline = (pipeline: Pipeline, user: UserRow | undefined, rendering: PipelineRendering) => ({
  ...presentPipelineBasic(pipeline, rendering),
  name: pipeline.name ?? null,
  before_sha: pipeline.beforeSha ?? zeroSha,
  tag: pipeline.tag,
  yaml_errors: pipeline.yamlErrors ?? null,
  user: user === undefined ? null : userReference(user, rendering.externalUrl),
  started_at: optionalDateTime(pipeline.startedAt),
  finished_at: optionalDateTime(pipeline.finishedAt),
  committed_at: optionalDateTime(pipeline.committedAt),
  duration: pipeline.duration ?? null,
  queued_duration: pipeline.queuedDuration ?? null,
  coverage: pipeline.coverage === undefined ? null : pipeline.coverage.toFixed(2),
  detailed_status: detailedStatus(pipeline, rendering.fullPath),
  archived: pipeline.archived,
});

/** A commit status. */
export const presentCommitStatus = (status: CommitStatus, author: UserRow | undefined, externalUrl: string) => ({
  id: status.id,
  sha: status.sha,
  ref: status.ref,
  status: status.status,
  name: status.name,
  target_url: status.targetUrl ?? null,
  description: status.description ?? null,
  created_at: dateTime(status.createdAt),
  started_at: optionalDateTime(status.startedAt),
  finished_at: optionalDateTime(status.finishedAt),
  allow_failure: status.allowFailure,
  coverage: status.coverage ?? null,
  pipeline_id: status.pipelineId,
  author: author === undefined ? null : userReference(author, externalUrl),
});

/**
 * A variable of a pipeline. Nothing expands references in values here: `raw` is false, as GitLab has it of variables of
 * the API.
 */
export const presentPipelineVariable = ({ key, value, type }: PipelineVariable) => ({
  variable_type: type,
  key,
  value,
  raw: false,
});

/** A variable as a pipeline gets it; the value of a hidden one is null for users. */
export const presentCiVariable = (variable: CiVariable) => ({
  variable_type: variable.type,
  key: variable.key,
  value: variable.value ?? null,
  protected: variable.protected,
  masked: variable.masked,
  raw: variable.raw,
  environment_scope: variable.environmentScope,
  source: variable.source,
});
