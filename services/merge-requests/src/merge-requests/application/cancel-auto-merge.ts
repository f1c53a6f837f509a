import { unauthorized } from '@switchyard/errors';
import type { Caller } from '../../callers';
import { mayMergeInto } from '../../repositories';
import { decideCancel } from '../domain/auto-merge-change';
import type { MergeRequestView } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';
import { viewOf } from './view-of';

/**
 * Takes auto-merge back, or the merge request off its train (G-4.2-1, G-4.1-5), for users who may merge and for the
 * author.
 */
export const cancelAutoMerge =
  (edges: MergeRequestEdges) =>
  async (caller: Caller, key: { projectId: number; iid: number }): Promise<void> => {
    const view = await viewOf(edges, key);
    await takeAutoMergeBack(edges, caller, view);
  };

/**
 * Takes back the auto-merge of a merge request that was read, or its place on a train.
 * @throws AppError unauthorized for a user who may not merge and is not the author; not_acceptable when there is
 * nothing to take back, and while it is being merged
 */
export async function takeAutoMergeBack(
  edges: Pick<MergeRequestEdges, 'mergeRequests' | 'protectedBranches'>,
  caller: Caller,
  { mergeRequest }: MergeRequestView,
): Promise<void> {
  const { id, projectId, targetBranch, authorId } = mergeRequest;
  const may =
    caller.userId > 0 && (caller.userId === authorId || (await mayMergeInto(edges, projectId, targetBranch, caller)));
  if (!may) throw unauthorized();
  await edges.mergeRequests.change(id, caller.userId, decideCancel);
}
