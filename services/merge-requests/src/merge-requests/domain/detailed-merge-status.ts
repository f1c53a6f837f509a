import { isInProgress, type PipelineStatus } from '../../pipelines';
import type { MergeRequestState, MergeStatus } from './merge-request';

/** Values of `detailed_merge_status` that this service can give (G-4.2-10). */
export type DetailedMergeStatus =
  | 'checking'
  | 'preparing'
  | 'unchecked'
  | 'requested_changes'
  | 'not_approved'
  | 'merge_request_blocked'
  | 'not_open'
  | 'merge_time'
  | 'draft_status'
  | 'commits_status'
  | 'discussions_not_resolved'
  | 'conflict'
  | 'need_rebase'
  | 'ci_still_running'
  | 'ci_must_pass'
  | 'mergeable';

/** What decides whether a merge request can be merged. */
export interface MergeChecks {
  readonly state: MergeRequestState;
  readonly mergeStatus: MergeStatus;
  readonly draft: boolean;
  /** A reviewer requests changes. */
  readonly changesRequested: boolean;
  /** Approvals that are missing (G-4.2-8). */
  readonly approvalsLeft: number;
  /** Merge requests that have to be merged before and are not. */
  readonly openBlocks: number;
  readonly mergeAfter: Date | undefined;
  /** The source branch exists and has commits. */
  readonly hasCommits: boolean;
  readonly unresolvedDiscussions: number;
  /** The target branch has commits that the source branch lacks. */
  readonly needsRebase: boolean;
  /** Status of the head pipeline; undefined when there is none for the head commit. */
  readonly pipeline: PipelineStatus | undefined;
  readonly settings: {
    readonly mergeMethod: 'merge' | 'rebase_merge' | 'ff';
    readonly onlyAllowMergeIfPipelineSucceeds: boolean;
    readonly allowMergeOnSkippedPipeline: boolean;
    readonly onlyAllowMergeIfAllDiscussionsAreResolved: boolean;
  };
}

type Check<C = MergeChecks> = readonly [status: DetailedMergeStatus, fails: (checks: C, now: Date) => boolean];

/** The checks on what others than its own state and git hold against a merge request. */
export type ReviewChecks = Pick<MergeChecks, 'changesRequested' | 'approvalsLeft' | 'openBlocks'>;

// The order is G-4.2-11's. Checks of features that do not exist yet (status checks, locked paths …) have their place between their neighbours there.
const reviewChecks: readonly Check<ReviewChecks>[] = [
  ['requested_changes', (checks) => checks.changesRequested],
  ['not_approved', (checks) => checks.approvalsLeft > 0],
  ['merge_request_blocked', (checks) => checks.openBlocks > 0],
];

const stateChecks: readonly Check[] = [
  ...reviewChecks,
  ['not_open', (checks) => checks.state !== 'opened'],
  ['merge_time', (checks, now) => checks.mergeAfter !== undefined && checks.mergeAfter > now],
  ['draft_status', (checks) => checks.draft],
  ['commits_status', (checks) => !checks.hasCommits],
  [
    'discussions_not_resolved',
    (checks) => checks.settings.onlyAllowMergeIfAllDiscussionsAreResolved && checks.unresolvedDiscussions > 0,
  ],
];

const gitChecks: readonly Check[] = [
  [
    'conflict',
    ({ mergeStatus }) =>
      mergeStatus === 'cannot_be_merged' ||
      mergeStatus === 'cannot_be_merged_recheck' ||
      mergeStatus === 'cannot_be_merged_rechecking',
  ],
  ['need_rebase', (checks) => checks.settings.mergeMethod !== 'merge' && checks.needsRebase],
];

const firstFailure = <C>(list: readonly Check<C>[], checks: C, now: Date): DetailedMergeStatus | undefined =>
  list.find(([, fails]) => fails(checks, now))?.[0];

const runs = ({ pipeline }: MergeChecks): boolean => pipeline !== undefined && isInProgress(pipeline);

/** What CI forbids, undefined when nothing: it forbids only where the project demands a succeeded pipeline. */
export function ciFailure(checks: MergeChecks): 'ci_still_running' | 'ci_must_pass' | undefined {
  const { pipeline, settings } = checks;
  if (!settings.onlyAllowMergeIfPipelineSucceeds) return undefined;
  if (pipeline === 'success' || (pipeline === 'skipped' && settings.allowMergeOnSkippedPipeline)) return undefined;
  return runs(checks) ? 'ci_still_running' : 'ci_must_pass';
}

/**
 * What keeps a merge request from being merged apart from git: the refusals that are 405 (G-4.2-6). CI is not among
 * them.
 */
export const stateFailure = (checks: MergeChecks, now: Date): DetailedMergeStatus | undefined =>
  firstFailure(stateChecks, checks, now);

/** What reviewers, approvers and blocks hold against a merge: looked at once more under the lock of a landing. */
export const reviewFailure = (checks: ReviewChecks, now: Date): DetailedMergeStatus | undefined =>
  firstFailure(reviewChecks, checks, now);

/** What git holds against a merge; meaningful once the check has run. */
export const gitFailure = (checks: MergeChecks, now: Date): DetailedMergeStatus | undefined =>
  firstFailure(gitChecks, checks, now);

/** `detailed_merge_status` (G-4.2-11). */
export function detailedMergeStatus(checks: MergeChecks, now: Date): DetailedMergeStatus {
  switch (checks.mergeStatus) {
    case 'preparing':
      return 'preparing';
    case 'checking':
    case 'cannot_be_merged_rechecking':
      return 'checking';
    case 'unchecked':
    case 'cannot_be_merged_recheck':
      return 'unchecked';
    default:
      return (
        firstFailure(stateChecks, checks, now) ??
        firstFailure(gitChecks, checks, now) ??
        // A running pipeline is worth waiting for, whether or not the project demands it.
        (runs(checks) ? 'ci_still_running' : ciFailure(checks)) ??
        'mergeable'
      );
  }
}

/** `merge_status` as it is shown: states inside a check read `checking` (G-2-5). */
export const shownMergeStatus = (status: MergeStatus): string =>
  status === 'preparing' || status === 'cannot_be_merged_rechecking' ? 'checking' : status;

/**
 * Whether auto-merge may be set: the merge request is open, and what fails now may still come right by itself or by an
 * edit. A conflict or a missing rebase needs a push, which would take auto-merge back, so it is refused (G-4.2-6).
 */
export function canAutoMerge(checks: MergeChecks, now: Date): boolean {
  if (checks.state !== 'opened' || !checks.hasCommits) return false;
  return hasToWait(checks, now);
}

/** Whether something that auto-merge waits for is still open. */
export const hasToWait = (checks: MergeChecks, now: Date): boolean =>
  runs(checks) || stateFailure(checks, now) !== undefined || ciFailure(checks) !== undefined;

/**
 * Whether a merge request may join a train now (G-4.1-4): its head pipeline has ended, and every merge check passes but
 * the rebase, which the train makes itself.
 */
export const canJoinTrain = (checks: MergeChecks, now: Date): boolean =>
  checks.mergeStatus === 'can_be_merged' &&
  checks.pipeline !== undefined &&
  !runs(checks) &&
  stateFailure(checks, now) === undefined &&
  ciFailure(checks) === undefined;

/**
 * Whether it may be set to join once its checks pass: there is a pipeline to wait for, and something to wait for
 * (G-4.1-4).
 */
export const canJoinTrainLater = (checks: MergeChecks, now: Date): boolean =>
  checks.mergeStatus === 'can_be_merged' && checks.pipeline !== undefined && canAutoMerge(checks, now);
