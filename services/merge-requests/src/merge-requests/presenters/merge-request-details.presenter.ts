import { type UserRow, userReference } from '@switchyard/directory';
import type { Commit, Diff } from '../../git';
import { presentPipeline, presentPipelineBasic } from '../../pipelines';
import { commitObject, dateTime, diffObject, optionalDateTime } from '../../repositories';
import type { StoredDiff } from '../domain/merge-request-change';
import type { MergeRequestDetails } from '../domain/merge-request-details';
import { type MergeRequestRendering, presentMergeRequest } from './merge-request.presenter';

/** What was requested in addition to the usual fields of a single merge request (G-2-6). */
export interface DetailOptions {
  readonly rebaseInProgress?: boolean;
}

/** Files counted one by one; more are `1000+`. */
const countedFiles = 1_000;

const changesCount = (files: number | undefined): string | null =>
  files === undefined ? null : files > countedFiles ? `${countedFiles}+` : String(files);

/** A merge request by itself: the fields of lists and those of G-2-6. */
export function presentMergeRequestDetails(
  details: MergeRequestDetails,
  rendering: MergeRequestRendering,
  options: DetailOptions = {},
) {
  const { view, diff, headPipeline } = details;
  const { mergeRequest: mr } = view;
  const place = { externalUrl: rendering.externalUrl, fullPath: headPipeline?.fullPath ?? '' };
  return {
    ...presentMergeRequest(view, rendering),
    subscribed: details.subscribed,
    changes_count: changesCount(mr.changesCount),
    latest_build_started_at: optionalDateTime(headPipeline?.pipeline.startedAt),
    latest_build_finished_at: optionalDateTime(headPipeline?.pipeline.finishedAt),
    first_deployed_to_production_at: optionalDateTime(details.firstDeployedAt),
    pipeline: headPipeline === undefined ? null : presentPipelineBasic(headPipeline.pipeline, place),
    head_pipeline: headPipeline === undefined ? null : presentPipeline(headPipeline.pipeline, headPipeline.user, place),
    diff_refs: diff === undefined ? null : { base_sha: diff.baseSha, head_sha: diff.headSha, start_sha: diff.startSha },
    merge_error: mr.mergeError ?? null,
    first_contribution: details.firstContribution,
    user: { can_merge: details.canMerge },
    ...(details.divergedCommits === undefined ? {} : { diverged_commits_count: details.divergedCommits }),
    ...(options.rebaseInProgress ? { rebase_in_progress: mr.rebaseInProgress } : {}),
  };
}

/** A reviewer and the state of their review (G-2-39). */
export const presentReviewer = (reviewer: { user: UserRow; state: string; created_at: Date }, externalUrl: string) => ({
  user: userReference(reviewer.user, externalUrl),
  state: reviewer.state,
  created_at: dateTime(reviewer.created_at),
});

/** A version of a merge request's diff. */
export const presentVersion = (version: StoredDiff, mergeRequestId: number) => ({
  id: version.id,
  head_commit_sha: version.headSha,
  base_commit_sha: version.baseSha,
  start_commit_sha: version.startSha,
  created_at: dateTime(version.createdAt),
  merge_request_id: mergeRequestId,
  state: version.filesCount === 0 ? 'empty' : 'collected',
  real_size: String(version.filesCount),
  patch_id_sha: null,
});

/** A version with its commits and files. */
export const presentVersionDetails = (
  { version, commits, diff }: { version: StoredDiff; commits: readonly Commit[]; diff: Diff },
  mergeRequestId: number,
  address: { externalUrl: string; fullPath: string },
) => ({
  ...presentVersion(version, mergeRequestId),
  commits: commits.map((commit) => commitObject(commit, address)),
  diffs: diff.files.map(diffObject),
});
