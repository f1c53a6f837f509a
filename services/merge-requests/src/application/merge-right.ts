import { mayMerge } from '../domain/protected-branch';
import type { MergeRequestEdges } from './merge-request.edges';

/** Whether someone may merge into a branch of a project (G-4.2-7). */
export const mayMergeInto = async (
  edges: Pick<MergeRequestEdges, 'protectedBranches'>,
  projectId: number,
  branch: string,
  standing: { readonly level: number; readonly admin: boolean },
): Promise<boolean> => standing.level > 0 && mayMerge(await edges.protectedBranches.all(projectId), branch, standing);
