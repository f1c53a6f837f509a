import type { MergeTrainEntryRemoved_Reason as Reason } from '@switchyard/protos/merge_requests/events/v1/merge_train_removal';
import type { RemovalReason } from '../domain/merge-train-removal';

/** Why a car was removed, by the name that the domain has for it. */
export const removalReason = (reason: Reason): RemovalReason =>
  reason.slice('REASON_'.length).toLowerCase() as RemovalReason;
