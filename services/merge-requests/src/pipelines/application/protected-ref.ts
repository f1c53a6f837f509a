import { isProtectedTag, mayMerge, mayPush, rulesOf } from '../../repositories';
import { mergeRequestOf, type Pipeline, probedTrain } from '../domain/pipeline';
import type { PipelineEdges } from './pipeline.edges';

/**
 * Whether a pipeline gets protected variables.
 * - On a branch or tag: it is protected.
 * - On a ref of a merge request, its train's included: source and target branch are protected branches of this project,
 *   and the user who caused the pipeline may push to the one and merge into the other. What else a train's commit
 *   contains, the cars ahead, was added by users who may merge into the same target.
 * - Of a stopped train that tests its target branch (`probedTrain`): that branch is protected.
 */
export async function isOnProtectedRef(
  edges: Pick<
    PipelineEdges,
    'protectedBranches' | 'protectedTags' | 'findMergeRequest' | 'targetOfTrain' | 'accessOfCauser'
  >,
  { projectId, ref, tag, userId }: Pick<Pipeline, 'projectId' | 'ref' | 'tag' | 'userId'>,
): Promise<boolean> {
  if (tag) return isProtectedTag(await edges.protectedTags.all(projectId), ref);
  const rules = await edges.protectedBranches.all(projectId);
  const isProtected = (branch: string): boolean => rulesOf(rules, branch).length > 0;
  if (!ref.startsWith('refs/')) return isProtected(ref);
  const trainId = probedTrain(ref);
  if (trainId !== undefined) {
    const target = await edges.targetOfTrain(projectId, trainId);
    return target !== undefined && isProtected(target);
  }
  const iid = mergeRequestOf(ref);
  const mergeRequest = iid === undefined ? undefined : await edges.findMergeRequest({ projectId, iid });
  if (mergeRequest === undefined || mergeRequest.sourceProjectId !== projectId) return false;
  const { sourceBranch, targetBranch } = mergeRequest;
  if (!isProtected(sourceBranch) || !isProtected(targetBranch)) return false;
  const causer = await edges.accessOfCauser(projectId, userId);
  return causer !== undefined && mayPush(rules, sourceBranch, causer) && mayMerge(rules, targetBranch, causer);
}
