import { mayPush } from '../../repositories';
import type { MergeRequest } from '../domain/merge-request';
import type { MergeRequestEdges } from './merge-request.edges';

/**
 * Whether a user may push to the source branch: by their level in its project, or, in a fork, because the merge request
 * lets those push who may merge it.
 */
export async function mayPushToSource(
  edges: Pick<MergeRequestEdges, 'directory' | 'protectedBranches' | 'collaboratesOn'>,
  userId: number,
  { sourceProjectId, sourceBranch }: Pick<MergeRequest, 'sourceProjectId' | 'sourceBranch'>,
): Promise<boolean> {
  const project = await edges.directory.project(sourceProjectId);
  if (project === undefined || project.archived) return false;
  const rules = await edges.protectedBranches.all(sourceProjectId);
  const access = await edges.directory.accessOf(userId, sourceProjectId);
  if (access.gone) return false;
  if (mayPush(rules, sourceBranch, access)) return true;
  return (await edges.collaboratesOn(sourceProjectId, userId)).has(sourceBranch);
}
