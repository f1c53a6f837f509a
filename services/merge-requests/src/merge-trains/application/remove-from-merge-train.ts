import { notFound } from '@switchyard/errors';
import type { Caller } from '../../callers';
import { onMergeTrain, takeAutoMergeBack, viewOf } from '../../merge-requests';
import type { MergeTrainEdges } from './merge-train.edges';

/**
 * Takes a merge request off its train. @throws AppError not_found when it is on none; not_acceptable while it is being
 * merged
 */
export const removeFromMergeTrain =
  (edges: MergeTrainEdges) =>
  async (caller: Caller, key: { projectId: number; iid: number }): Promise<void> => {
    const view = await viewOf(edges, key);
    if (view.mergeRequest.autoMergeStrategy !== onMergeTrain) throw notFound('Merge Train Merge Request');
    await takeAutoMergeBack(edges, caller, view);
  };
