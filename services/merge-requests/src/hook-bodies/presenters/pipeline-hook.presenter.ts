import { type DirectoryProjectRow, fullPath } from '@switchyard/directory';
import { checksOf, detailedMergeStatus, mergeRequestUrl, shownMergeStatus } from '../../merge-requests';
import { externalStage, type PipelineStatus, statusWord } from '../../pipelines';
import { optionalDateTime } from '../../repositories';
import type { HookJob, HookPipeline, JobHappening, PipelineHappening } from '../domain/hook-event';
import type { HookMergeRequestView } from '../domain/hook-facts';
import {
  commitPart,
  commitUrl,
  type HookRendering,
  hookTime,
  isProtected,
  noSha,
  pageUrl,
  projectParts,
  type RenderedHook,
  secondsBetween,
  userPart,
} from './hook-parts';

const commitOf = ({ facts }: HookRendering, project: DirectoryProjectRow, sha: string) =>
  facts.commits.get(project.id)?.commits.get(sha);

/** A job inside of its pipeline. An outside CI runs it: there are no artifacts and no runner here. */
const buildPart = (job: HookJob, rendering: HookRendering) => ({
  id: job.id,
  stage: externalStage,
  name: job.name,
  status: job.status,
  created_at: hookTime(job.createdAt),
  started_at: hookTime(job.startedAt),
  finished_at: hookTime(job.finishedAt),
  duration: secondsBetween(job.startedAt, job.finishedAt),
  queued_duration: secondsBetween(job.createdAt, job.startedAt),
  failure_reason: failureReason(job),
  when: 'on_success',
  manual: false,
  allow_failure: job.allowFailure,
  user: userPart(rendering, job.userId),
  runner: null,
  artifacts_file: { filename: null, size: null },
  environment: null,
});

/** Of a failure nothing is known but that the outside CI reported it. */
const failureReason = ({ status }: HookJob): string | null => (status === 'failed' ? 'unknown_failure' : null);

const mergeRequestPart = (found: HookMergeRequestView | undefined, { externalUrl, now }: HookRendering) => {
  if (found === undefined) return null;
  const { view } = found;
  const { mergeRequest: mr } = view;
  return {
    id: mr.id,
    iid: mr.iid,
    title: mr.title,
    source_branch: mr.sourceBranch,
    source_project_id: view.sourceProjectId ?? null,
    target_branch: mr.targetBranch,
    target_project_id: mr.projectId,
    state: mr.state,
    merge_status: shownMergeStatus(mr.mergeStatus),
    detailed_merge_status: detailedMergeStatus(checksOf(view), now),
    url: mergeRequestUrl(view, externalUrl),
  };
};

/** A pipeline that was made or has another status (G-6-4). */
export function presentPipelineHook(
  { pipeline }: PipelineHappening,
  project: DirectoryProjectRow,
  rendering: HookRendering,
): RenderedHook {
  const { facts, externalUrl } = rendering;
  const commit = commitOf(rendering, project, pipeline.sha);
  const mergeRequest = facts.mergeRequests.get(pipeline.mergeRequestId ?? 0);
  const jobs = facts.jobs.get(pipeline.id) ?? [];
  return {
    kind: 'pipeline',
    action: pipeline.status,
    ref: pipeline.ref,
    objectKey: `pipeline:${pipeline.id}`,
    feature: 'repository',
    json: {
      object_kind: 'pipeline',
      object_attributes: {
        id: pipeline.id,
        iid: pipeline.iid,
        name: null,
        ref: pipeline.ref,
        tag: pipeline.tag,
        sha: pipeline.sha,
        before_sha: noSha,
        source: pipeline.source,
        status: pipeline.status,
        detailed_status: statusWord(pipeline.status as PipelineStatus),
        stages: jobs.length === 0 ? [] : [externalStage],
        created_at: hookTime(pipeline.createdAt),
        finished_at: hookTime(pipeline.finishedAt),
        duration: pipeline.duration ?? null,
        queued_duration: pipeline.queuedDuration ?? null,
        protected_ref: isProtected(rendering, project.id, pipeline.ref, pipeline.tag),
        // Values are stored encrypted and leave this service for nobody but the CI.
        variables: [],
        url: pageUrl(project, externalUrl, `pipelines/${pipeline.id}`),
      },
      merge_request: mergeRequestPart(mergeRequest, rendering),
      user: userPart(rendering, pipeline.userId),
      project: projectParts(project, externalUrl).project,
      commit: commit === undefined ? null : commitPart(commit, project, externalUrl),
      builds: jobs.map((job) => buildPart(job, rendering)),
    },
  };
}

/** The commit of a job, with what its pipeline says of itself: GitLab's `id` here is that of the pipeline. */
const jobCommit = (pipeline: HookPipeline, project: DirectoryProjectRow, rendering: HookRendering) => {
  const commit = commitOf(rendering, project, pipeline.sha);
  return {
    id: pipeline.id,
    name: null,
    sha: pipeline.sha,
    message: commit?.message ?? null,
    author_name: commit?.authorName ?? null,
    author_email: commit?.authorEmail ?? null,
    author_url: commit === undefined ? null : `mailto:${commit.authorEmail}`,
    url: commitUrl(pipeline.sha, project, rendering.externalUrl),
    status: pipeline.status,
    duration: pipeline.duration ?? null,
    started_at: hookTime(pipeline.startedAt),
    finished_at: hookTime(pipeline.finishedAt),
  };
};

/** A job that was made or has another status (G-6-4); GitLab calls it `build`. */
export function presentJobHook(
  { pipeline, job }: JobHappening,
  project: DirectoryProjectRow,
  rendering: HookRendering,
): RenderedHook {
  const { project: part, addressed } = projectParts(project, rendering.externalUrl);
  return {
    kind: 'job',
    action: job.status,
    ref: pipeline.ref,
    objectKey: `job:${job.id}`,
    feature: 'repository',
    json: {
      object_kind: 'build',
      ref: pipeline.ref,
      tag: pipeline.tag,
      before_sha: noSha,
      sha: pipeline.sha,
      build_id: job.id,
      build_name: job.name,
      build_stage: externalStage,
      build_status: job.status,
      build_created_at: hookTime(job.createdAt),
      build_started_at: hookTime(job.startedAt),
      build_finished_at: hookTime(job.finishedAt),
      build_created_at_iso: optionalDateTime(job.createdAt),
      build_started_at_iso: optionalDateTime(job.startedAt),
      build_finished_at_iso: optionalDateTime(job.finishedAt),
      build_duration: secondsBetween(job.startedAt, job.finishedAt),
      build_queued_duration: secondsBetween(job.createdAt, job.startedAt),
      build_allow_failure: job.allowFailure,
      build_failure_reason: failureReason(job),
      pipeline_id: pipeline.id,
      runner: null,
      project_id: project.id,
      project_name: fullPath(project),
      user: userPart(rendering, job.userId),
      commit: jobCommit(pipeline, project, rendering),
      repository: addressed,
      project: part,
      environment: null,
    },
  };
}
