import type { MergeRequestPatch } from './merge-request-change';

/** Merges by itself once the checks pass. */
export const mergeWhenChecksPass = 'merge_when_checks_pass';

/** Joins the train of its target branch once the checks pass. */
export const addToMergeTrain = 'add_to_merge_train_when_checks_pass';

/** Is on a train. */
export const onMergeTrain = 'merge_train';

/** Auto-merge that is not set. */
export const noAutoMerge = {
  autoMergeStrategy: null,
  autoMergeUserId: null,
  autoMergeSha: null,
  mergeUserId: null,
  mergeCommitMessage: null,
  squashCommitMessage: null,
  shouldRemoveSourceBranch: null,
} as const satisfies MergeRequestPatch;
