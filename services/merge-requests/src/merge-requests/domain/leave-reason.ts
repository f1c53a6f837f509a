/** Why auto-merge is taken back, or a car leaves its train, as the end of a sentence. */
export const leaveWords = {
  canceled: 'it was canceled',
  closed: 'the merge request was closed',
  draft: 'the merge request was marked as a draft',
  pushed: 'the source branch was updated',
  pipeline_failed: 'its pipeline failed',
  pipeline_canceled: 'its pipeline was canceled',
  timeout: 'its pipeline did not finish in time',
  conflict: 'it conflicts with the target branch or with a merge request ahead of it',
  no_changes: 'it holds no changes that the target branch lacks',
  not_mergeable: 'a merge check fails',
  right_lost: 'whoever added it may no longer merge into the target branch',
  user_gone: 'the account of whoever added it is gone or blocked',
  source_branch_deleted: 'the source branch was deleted',
  target_branch_deleted: 'the target branch was deleted',
  retargeted: 'the target branch was changed',
  trains_disabled: 'merge trains are no longer in force for the project',
  archived: 'the project was archived',
  merged_by_push: 'a push brought its commits into the target branch',
  skipped: 'it is merged at once',
  build_failed: 'git failed to build it',
} as const;

/** Why auto-merge is taken back, or a car leaves without being landed by its train (G-4.1-5); words and to-dos are the readers' (see the event's proto). */
export type LeaveReason = keyof typeof leaveWords;
