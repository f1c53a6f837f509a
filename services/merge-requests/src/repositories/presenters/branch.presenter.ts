import type { Branch } from '../../git';
import {
  developersCanMerge,
  developersCanPush,
  mayPush,
  type ProtectedBranch,
  rulesOf,
  type Standing,
} from '../domain/protected-branch';
import { commitObject, type RepositoryAddress, repositoryUrl } from './commit.presenter';

/** What a branch is shown by, beside itself. */
export interface BranchGround {
  readonly rules: readonly ProtectedBranch[];
  readonly standing: Standing;
  readonly defaultBranch: string;
  /** Branches that are merged into the default branch. */
  readonly merged: ReadonlySet<string>;
}

/** A branch (G §10 Repository). The default branch is never shown as merged. */
export const branchObject = (branch: Branch, ground: BranchGround, address: RepositoryAddress) => ({
  name: branch.name,
  commit: commitObject(branch.commit, address),
  merged: branch.name !== ground.defaultBranch && ground.merged.has(branch.name),
  protected: rulesOf(ground.rules, branch.name).length > 0,
  developers_can_push: developersCanPush(ground.rules, branch.name),
  developers_can_merge: developersCanMerge(ground.rules, branch.name),
  can_push: mayPush(ground.rules, branch.name, ground.standing),
  default: branch.name === ground.defaultBranch,
  web_url: repositoryUrl(address, `tree/${branch.name.split('/').map(encodeURIComponent).join('/')}`),
});
