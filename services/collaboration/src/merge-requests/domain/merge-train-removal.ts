import type { MergeTrainEntryRemoved_Reason as Reason } from '@switchyard/protos/merge_requests/events/v1/merge_train_removal';
import { trainOf } from './merge-train-change';
import { evidenceList, type MergeTrainEvidence } from './merge-train-evidence';

type ReasonName<Value extends string> = Value extends `REASON_${infer Name}` ? Lowercase<Name> : never;

/** Why a car was removed from a merge train: a value of the event's proto, without its prefix and in lower case. */
export type RemovalReason = ReasonName<`${Reason}`>;

interface Words {
  /** Follows `removed from the merge train because`; absent when a user removed it, or the reason is not known. */
  readonly removed?: string;
  /** The same where everything that its commit was built on had landed (D8); default: `removed`. */
  readonly blamed?: string;
  /** Follows `aborted the automatic merge because`. */
  readonly aborted: string;
}

const words: Record<RemovalReason, Words> = {
  unspecified: { aborted: '' },
  canceled: { aborted: 'it was canceled' },
  closed: { removed: 'it was closed', aborted: 'the merge request was closed' },
  draft: { removed: 'it was marked as a draft', aborted: 'the merge request was marked as a draft' },
  pushed: { removed: 'commits were pushed to its source branch', aborted: 'the source branch was updated' },
  pipeline_failed: { removed: 'its pipeline failed', aborted: 'its pipeline failed' },
  pipeline_canceled: { removed: 'its pipeline was canceled', aborted: 'its pipeline was canceled' },
  timeout: { removed: 'its pipeline gave no final result in time', aborted: 'its pipeline did not finish in time' },
  conflict: {
    removed: 'it conflicts with the target branch or with a merge request ahead of it',
    blamed: 'it conflicts with the target branch',
    aborted: 'it conflicts with the target branch or with a merge request ahead of it',
  },
  no_changes: {
    removed: 'the target branch, or a merge request ahead of it, already has its changes',
    blamed: 'the target branch already has its changes',
    aborted: 'it holds no changes that the target branch lacks',
  },
  not_mergeable: { removed: 'it no longer meets what has to hold for a merge', aborted: 'a merge check fails' },
  right_lost: {
    removed: 'the user who queued it may no longer merge into the target branch',
    aborted: 'the user who added it may no longer merge into the target branch',
  },
  user_gone: {
    removed: 'the account of the user who queued it was blocked or deleted',
    aborted: 'the account of the user who added it is gone or blocked',
  },
  source_branch_deleted: { removed: 'its source branch was deleted', aborted: 'the source branch was deleted' },
  target_branch_deleted: { removed: 'its target branch was deleted', aborted: 'the target branch was deleted' },
  retargeted: { removed: 'its target branch was changed', aborted: 'the target branch was changed' },
  trains_disabled: {
    removed: 'merge trains are no longer in force for the project',
    aborted: 'merge trains are no longer in force for the project',
  },
  archived: { removed: 'the project was archived', aborted: 'the project was archived' },
  merged_by_push: {
    removed: 'a push brought its commits into the target branch',
    aborted: 'a push brought its commits into the target branch',
  },
  skipped: { removed: 'it is merged at once', aborted: 'it is merged at once' },
  build_failed: {
    removed: 'git failed to build it, which the operator should know of',
    aborted: 'git failed to build it',
  },
};

/** Why an auto-merge was aborted, as the end of a sentence; empty when the reason is not known. */
export const abortWords = (reason: RemovalReason): string => words[reason].aborted;

/** A car that was removed. */
export interface TrainRemoval {
  readonly targetBranch: string;
  readonly reason: RemovalReason;
  /** What it failed on; undefined for other reasons. */
  readonly evidence?: MergeTrainEvidence | undefined;
}

function reasonClause({ reason, evidence }: TrainRemoval): string {
  const { removed, blamed = removed } = words[reason];
  const clause = evidence === undefined ? removed : blamed;
  return clause === undefined ? '' : ` because ${clause}`;
}

const withEvidence = (text: string, { evidence }: TrainRemoval): string => {
  const list = evidence === undefined ? '' : evidenceList(evidence);
  return list === '' ? text : `${text}\n\n${list}`;
};

/** The text of the system note on the removal (G-4.1-6, point 7), with what the car failed on. */
export const removalNote = (removal: TrainRemoval): string =>
  withEvidence(`removed this merge request from ${trainOf(removal.targetBranch)}${reasonClause(removal)}`, removal);

/** The text of the to-do on the removal, with what the car failed on. */
export const removalSentence = (removal: TrainRemoval): string =>
  withEvidence(`Removed from ${trainOf(removal.targetBranch)}${reasonClause(removal)}.`, removal);
