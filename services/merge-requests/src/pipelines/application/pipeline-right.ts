import type { Caller } from '../../callers';
import { mayMergeInto } from '../../repositories';
import { isTrainRef, mergeRequestOf, probedTrain } from '../domain/pipeline';
import type { PipelineEdges } from './pipeline.edges';

/**
 * Whether a user may decide about pipelines on `ref`: on a train ref they decide what lands and what is removed, which
 * takes merge right on the target branch (D8); on any other ref the caller's level has been checked already.
 * Undefined for the train ref of a merge request that was deleted, where nothing is left to decide.
 */
export async function mayDecideOn(
  edges: Pick<PipelineEdges, 'findMergeRequest' | 'targetOfTrain' | 'protectedBranches'>,
  caller: Caller,
  projectId: number,
  ref: string,
): Promise<boolean | undefined> {
  if (!isTrainRef(ref)) return true;
  const trainId = probedTrain(ref);
  if (trainId !== undefined) {
    const targetBranch = await edges.targetOfTrain(projectId, trainId);
    return targetBranch === undefined ? undefined : mayMergeInto(edges, projectId, targetBranch, caller);
  }
  const mergeRequest = await edges.findMergeRequest({ projectId, iid: mergeRequestOf(ref) ?? 0 });
  return mergeRequest && mayMergeInto(edges, projectId, mergeRequest.targetBranch, caller);
}
