/** Ends of a sentence that begins with `because`. Where somebody took it out by hand, and where the reason is not known, there is none. */
const because = {
  canceled: undefined,
  closed: 'it was closed',
  draft: 'it was marked as a draft',
  pushed: 'commits were pushed to its source branch',
  pipeline_failed: 'its pipeline failed',
  pipeline_canceled: 'its pipeline was canceled',
  timeout: 'its pipeline gave no final result in time',
  conflict: 'it conflicts with the target branch or with a merge request ahead of it',
  no_changes: 'the target branch, or a merge request ahead of it, already has its changes',
  not_mergeable: 'it no longer meets what has to hold for a merge',
  right_lost: 'the user who queued it may no longer merge into the target branch',
  user_gone: 'the account of the user who queued it was blocked or deleted',
  source_branch_deleted: 'its source branch was deleted',
  target_branch_deleted: 'its target branch was deleted',
  retargeted: 'its target branch was changed',
  trains_disabled: 'merge trains are no longer in force for the project',
  archived: 'the project was archived',
  merged_by_push: 'a push brought its commits into the target branch',
  skipped: 'it is merged at once',
  build_failed: 'git failed to build it, which the operator should know of',
  unknown: undefined,
} satisfies Record<string, string | undefined>;

/** Why a merge request left a merge train; the words behind the numbers of `MergeTrainEntryRemoved.Reason`. */
export type RemovalReason = keyof typeof because;

const train = (targetBranch: string): string => `the merge train for \`${targetBranch}\``;

const reasonClause = (reason: RemovalReason): string =>
  because[reason] === undefined ? '' : ` because ${because[reason]}`;

/** What a system note says of the removal (G-4.1-6, point 7). */
export const removalNote = (reason: RemovalReason, targetBranch: string): string =>
  `removed this merge request from ${train(targetBranch)}${reasonClause(reason)}`;

/** What a to-do says of the removal. */
export const removalSentence = (reason: RemovalReason, targetBranch: string): string =>
  `Removed from ${train(targetBranch)}${reasonClause(reason)}.`;

/** What a system note says of the boarding (G-4.1-6, point 7). */
export const boardingNote = (position: number, targetBranch: string): string =>
  position === 1
    ? `started ${train(targetBranch)}`
    : `added this merge request to ${train(targetBranch)} at position ${position}`;
