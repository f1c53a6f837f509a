export { addCarOrWait, expectHead } from './application/add-to-merge-train';
export { type BuiltMerge, buildMerge, type MergeRefusal } from './application/build-merge';
export { takeAutoMergeBack } from './application/cancel-auto-merge';
export { changeTogether } from './application/change-together';
export { type CheckMergeability, withKnownMergeability } from './application/check-mergeability';
export { withCurrentThreads } from './application/current-threads';
export type { Landing } from './application/land-merge-request';
export type { MergeRequestEdges, TrainTargets } from './application/merge-request.edges';
export { together } from './application/together';
export { viewOf } from './application/view-of';
export { publishMergeRequestStates } from './commands';
export {
  collaborationsOf,
  composeMergeRequests,
  followPushOptions,
  followRefChanges,
  importLimitsOf,
  inviteFor,
  type MergeRequests,
} from './compose';
export { type ApprovalRequirement, isOverridden, requirementsOf } from './domain/approvals';
export { onMergeTrain } from './domain/auto-merge';
export { alreadySet, decideCarRemoval, decideMovingToFront } from './domain/auto-merge-change';
export type { CarSignal, Verdict } from './domain/car-signal';
export { approvalRequested } from './domain/change-consequences';
export { detailedMergeStatus, shownMergeStatus, stateFailure } from './domain/detailed-merge-status';
export type { MergeRequest, MergeRequestState, ProjectMergeSettings } from './domain/merge-request';
export type {
  FieldChange,
  LandedPlan,
  LaterFact,
  MergePlan,
  MergeRequestChange,
  MergeRequestFact,
  NewCar,
  TrainConsequences,
  TrainEvidence,
} from './domain/merge-request-change';
export { checksOf, type MergeRequestView, mayUpdate } from './domain/merge-request-view';
export { checkPushOptions } from './domain/push-options';
export type { RemovalReason } from './domain/removal-reason';
export { repeatedBoarding } from './domain/repeated-boarding';
export { mergeRequestUrl, presentSimpleMergeRequest } from './presenters/merge-request.presenter';
export { findTestedMergeRequest, headPipelines } from './storage/head-pipelines';
export { mergeRequestStates } from './storage/merge-request.events';
export type { TrainChanges } from './storage/merge-request.store';
