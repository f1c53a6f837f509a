export { composeMergeRequests } from './compose';
export {
  abortWords,
  additionNote,
  type RemovalReason,
  removalNote,
  removalSentence,
} from './domain/merge-train-removal';
export { readableMergeRequests } from './storage/merge-request.visibility';
export type { MergeRequestFollower } from './transport/merge-request.subscription';
export { removalReason } from './transport/removal-reason';
