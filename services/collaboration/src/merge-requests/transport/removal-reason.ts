import { MergeTrainEntryRemoved_Reason as Reason } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import type { RemovalReason } from '../domain/merge-train-removal';

const reasons: Record<Reason, RemovalReason> = {
  [Reason.REASON_UNSPECIFIED]: 'unknown',
  [Reason.REASON_CANCELED]: 'canceled',
  [Reason.REASON_CLOSED]: 'closed',
  [Reason.REASON_DRAFT]: 'draft',
  [Reason.REASON_PUSHED]: 'pushed',
  [Reason.REASON_PIPELINE_FAILED]: 'pipeline_failed',
  [Reason.REASON_PIPELINE_CANCELED]: 'pipeline_canceled',
  [Reason.REASON_TIMEOUT]: 'timeout',
  [Reason.REASON_CONFLICT]: 'conflict',
  [Reason.REASON_NO_CHANGES]: 'no_changes',
  [Reason.REASON_NOT_MERGEABLE]: 'not_mergeable',
  [Reason.REASON_RIGHT_LOST]: 'right_lost',
  [Reason.REASON_USER_GONE]: 'user_gone',
  [Reason.REASON_SOURCE_BRANCH_DELETED]: 'source_branch_deleted',
  [Reason.REASON_TARGET_BRANCH_DELETED]: 'target_branch_deleted',
  [Reason.REASON_RETARGETED]: 'retargeted',
  [Reason.REASON_TRAINS_DISABLED]: 'trains_disabled',
  [Reason.REASON_MERGED_BY_PUSH]: 'merged_by_push',
  [Reason.REASON_SKIPPED]: 'skipped',
  [Reason.REASON_BUILD_FAILED]: 'build_failed',
  [Reason.REASON_ARCHIVED]: 'archived',
};

/** Why an entry left a train, in words; `unknown` for a reason that a later version added. */
export const removalReason = (reason: Reason): RemovalReason => reasons[reason] ?? 'unknown';
