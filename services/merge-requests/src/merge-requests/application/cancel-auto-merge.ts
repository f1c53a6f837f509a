import { AppError, notFound, unauthorized } from '@switchyard/errors';
import type { Caller } from '../../callers';
import { mayMergeInto } from '../../repositories';
import { noAutoMerge } from '../domain/auto-merge';
import type { MergeRequestView } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';

/** Takes auto-merge back, or the merge request off its train (G-4.2-1, G-4.1-5), for users who may merge and for the author. */
export const cancelAutoMerge =
  (edges: MergeRequestEdges) =>
  async (caller: Caller, key: { projectId: number; iid: number }): Promise<void> => {
    const view = await edges.mergeRequests.view(key);
    if (view === undefined) throw notFound();
    await takeAutoMergeBack(edges, caller, view);
  };

/**
 * Takes back the auto-merge of a merge request that was read, or its place on a train.
 * @throws AppError unauthorized for who may neither merge nor is the author; not_acceptable when there is nothing to take back, and while it
 * is being merged
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
  await edges.mergeRequests.change(id, caller.userId, ({ mergeRequest: now }) => {
    if (now.state !== 'opened' || now.autoMergeStrategy === undefined) {
      throw new AppError('not_acceptable', "Can't cancel the automatic merge");
    }
    return {
      patch: noAutoMerge,
      removalReason: 'canceled',
      facts: [{ kind: 'acted', act: 'auto_merge_changed', actId: `${id}-${now.lockVersion + 1}` }],
    };
  });
}
