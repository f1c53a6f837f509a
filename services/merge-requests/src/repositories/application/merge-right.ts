import { mayMerge, type ProjectAccess } from '../domain/protected-branch';
import type { RepositoryAccess } from './repository-access';

/** Whether someone may merge into a branch of a project (G-4.2-7). */
export const mayMergeInto = async (
  repositories: Pick<RepositoryAccess, 'protectedBranches'>,
  projectId: number,
  branch: string,
  access: ProjectAccess,
): Promise<boolean> =>
  access.level > 0 && mayMerge(await repositories.protectedBranches.all(projectId), branch, access);
