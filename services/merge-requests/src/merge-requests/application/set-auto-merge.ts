import type { addToMergeTrain, mergeWhenChecksPass } from '../domain/auto-merge';
import { decideAutoMerge, type MergeWhenReady } from '../domain/auto-merge-change';
import type { MergeRequestView } from '../domain/merge-request-view';
import type { ChangeMergeRequest } from './change-together';

/**
 * Marks a merge request to be merged, or to join its train, once its checks pass.
 * @throws AppError not_allowed when it changed in the meantime; conflict when it is on a train
 */
export async function setAutoMerge(
  edges: { readonly mergeRequests: ChangeMergeRequest },
  userId: number,
  { mergeRequest }: MergeRequestView,
  options: MergeWhenReady,
  strategy: typeof mergeWhenChecksPass | typeof addToMergeTrain,
): Promise<void> {
  await edges.mergeRequests.change(mergeRequest.id, userId, (locked) =>
    decideAutoMerge(locked, mergeRequest, { userId, options, strategy }),
  );
}
