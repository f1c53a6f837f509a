export { composeMergeRequests } from './compose';
export {
  additionNote,
  isOwnStop,
  overtakenNote,
  overtakenSentence,
  overtakenUserIds,
  type TrainAddition,
  type TrainOvertaking,
  type TrainStateChange,
  trainStateNote,
  trainStoppedSentence,
} from './domain/merge-train-change';
export { abortWords, removalNote, removalSentence, type TrainRemoval } from './domain/merge-train-removal';
export { readableMergeRequests } from './storage/merge-request.visibility';
export type { MergeRequestFollower } from './transport/merge-request.subscription';
export { removalReason, trainRemovalOf, trainStateChangeOf } from './transport/merge-train-facts';
