import {
  type MergeTrainStateChanged,
  MergeTrainStateChanged_State as State,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import type {
  MergeTrainEntryRemoved,
  MergeTrainEntryRemoved_Reason as Reason,
} from '@switchyard/protos/merge_requests/events/v1/merge_train_removal';
import type { TrainState, TrainStateChange } from '../domain/merge-train-change';
import type { RemovalReason, TrainRemoval } from '../domain/merge-train-removal';

/** Why a car was removed, by the name that the domain has for it. */
export const removalReason = (reason: Reason): RemovalReason =>
  reason.slice('REASON_'.length).toLowerCase() as RemovalReason;

/** A removal, as its texts depend on it. */
export const trainRemovalOf = ({ targetBranch, reason, evidence }: MergeTrainEntryRemoved): TrainRemoval => ({
  targetBranch,
  reason: removalReason(reason),
  evidence,
});

const states: Readonly<Partial<Record<State, TrainState>>> = {
  [State.STATE_RUNNING]: 'running',
  [State.STATE_PAUSED]: 'paused',
  [State.STATE_DRAINING]: 'draining',
};

/** A change of what a train does; undefined when this version does not know the state. */
export function trainStateChangeOf({ state, ...change }: MergeTrainStateChanged): TrainStateChange | undefined {
  const known = states[state];
  return known && { ...change, state: known };
}
