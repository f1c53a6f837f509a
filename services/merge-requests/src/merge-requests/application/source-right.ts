import type { Caller } from '../../callers';
import { mayPush, mayPushTo, rulesOf } from '../../repositories';
import type { MergeRequest } from '../domain/merge-request';
import type { MergeRequestEdges } from './merge-request.edges';
import { isAcross } from './source-branch';

type Edges = Pick<MergeRequestEdges, 'directory' | 'protectedBranches' | 'collaboratesOn'>;

/**
 * Whether a user may push to the source branch: by their level in its project, or, in a fork, because the merge request
 * lets those push who may merge it.
 */
export async function mayPushToSource(
  edges: Edges,
  userId: number,
  { sourceProjectId, sourceBranch }: Pick<MergeRequest, 'sourceProjectId' | 'sourceBranch'>,
): Promise<boolean> {
  const project = await edges.directory.project(sourceProjectId);
  if (project === undefined || project.archived) return false;
  const rules = await edges.protectedBranches.all(sourceProjectId);
  const access = await edges.directory.accessOf(userId, sourceProjectId);
  if (access.gone) return false;
  return mayPushTo(rules, sourceBranch, access, await edges.collaboratesOn(sourceProjectId, userId));
}

/**
 * Whether `allow_collaboration` can take effect: the source branch lies in a fork, neither project is private, and no
 * rule of the fork protects the branch (ADR 39).
 */
export async function canCollaborate(
  edges: Edges,
  mr: Pick<MergeRequest, 'projectId' | 'sourceProjectId' | 'sourceBranch'>,
): Promise<boolean> {
  if (!isAcross(mr)) return false;
  for (const id of [mr.sourceProjectId, mr.projectId]) {
    const project = await edges.directory.project(id);
    if (project === undefined || project.visibility === 'private') return false;
  }
  return rulesOf(await edges.protectedBranches.all(mr.sourceProjectId), mr.sourceBranch).length === 0;
}

/** Whether a caller may push to the source branch; what they have in the project of the merge request is known already. */
export async function mayCallerPushToSource(
  edges: Edges,
  caller: Caller,
  mr: Pick<MergeRequest, 'projectId' | 'sourceProjectId' | 'sourceBranch'>,
): Promise<boolean> {
  if (isAcross(mr)) return mayPushToSource(edges, caller.userId, mr);
  return mayPush(await edges.protectedBranches.all(mr.projectId), mr.sourceBranch, caller);
}
