import { isTrainRef } from '../../pipelines/domain/pipeline';
import { mayMerge } from '../../repositories/domain/protected-branch';
import type { Caller, MergeRequestEdges } from './merge-request.edges';

/** Whether someone may merge into a branch of a project (G-4.2-7). */
export const mayMergeInto = async (
  edges: Pick<MergeRequestEdges, 'protectedBranches'>,
  projectId: number,
  branch: string,
  standing: { readonly level: number; readonly admin: boolean },
): Promise<boolean> => standing.level > 0 && mayMerge(await edges.protectedBranches.all(projectId), branch, standing);

/**
 * Whether someone may decide about pipelines on `ref`: on a train ref they decide what lands and who leaves, which takes merge right on the
 * target branch (D8); on any other ref the caller's level has been asked for already. Undefined for the train ref of a merge request that
 * is gone, where nothing is left to decide.
 */
export async function mayDecideOn(
  edges: Pick<MergeRequestEdges, 'mergeRequests' | 'protectedBranches'>,
  caller: Caller,
  projectId: number,
  ref: string,
): Promise<boolean | undefined> {
  if (!isTrainRef(ref)) return true;
  const iid = Number(/\d+/.exec(ref)?.[0]);
  const view = await edges.mergeRequests.view({ projectId, iid });
  return view && mayMergeInto(edges, projectId, view.mergeRequest.targetBranch, caller);
}
