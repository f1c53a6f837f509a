import type { Branch } from '../../git';
import {
  developersCanMerge,
  developersCanPush,
  mayPush,
  type ProjectAccess,
  type ProtectedBranch,
  rulesOf,
} from '../domain/protected-branch';
import { commitObject, type RepositoryAddress, repositoryUrl } from './commit.presenter';

/** What a branch is presented with. */
export interface BranchContext {
  readonly rules: readonly ProtectedBranch[];
  readonly access: ProjectAccess;
  readonly defaultBranch: string;
  /** Branches that are merged into the default branch. */
  readonly merged: ReadonlySet<string>;
}

/** A branch (G §10 Repository). The default branch is never shown as merged. */
export const branchObject = (branch: Branch, context: BranchContext, address: RepositoryAddress) => ({
  name: branch.name,
  commit: commitObject(branch.commit, address),
  merged: branch.name !== context.defaultBranch && context.merged.has(branch.name),
  protected: rulesOf(context.rules, branch.name).length > 0,
  developers_can_push: developersCanPush(context.rules, branch.name),
  developers_can_merge: developersCanMerge(context.rules, branch.name),
  can_push: mayPush(context.rules, branch.name, context.access),
  default: branch.name === context.defaultBranch,
  web_url: repositoryUrl(address, `tree/${branch.name.split('/').map(encodeURIComponent).join('/')}`),
});
