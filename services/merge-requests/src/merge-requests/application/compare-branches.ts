import { changedPathsOfAll, emptyTreeSha, mergeBase, nameAndCountCommits, type Repository, type Sha } from '../../git';
import { countedCommits } from '../../repositories';
import type { DiffVersion } from '../domain/merge-request-change';

/** Commits of a merge request by which it is found. */
const namedCommits = 1_000;

/** The heads of the branches of a merge request. */
export interface BranchHeads {
  readonly target: Sha;
  readonly source: Sha;
}

/** What merge requests compare, in their order: two processes for each of them, and two for all. */
export async function compareAll(repo: Repository, given: readonly BranchHeads[]): Promise<DiffVersion[]> {
  const found: Omit<DiffVersion, 'filesCount'>[] = [];
  const pairs: { from: Sha; to: Sha }[] = [];
  for (const { target, source } of given) {
    const [base = emptyTreeSha, commits] = await Promise.all([
      mergeBase(repo, target, source),
      nameAndCountCommits(repo, { from: [source], not: [target], limit: namedCommits, cap: countedCommits }),
    ]);
    const { ids: commitShas, count: commitsCount } = commits;
    found.push({ baseSha: base, headSha: source, startSha: target, commitsCount, commitShas });
    pairs.push({ from: base, to: source });
  }
  const changed = await changedPathsOfAll(repo, pairs);
  return found.map((version, at) => ({ ...version, filesCount: changed[at]!.total }));
}

/** What a merge request compares. */
export async function compareBranches(repo: Repository, target: Sha, source: Sha): Promise<DiffVersion> {
  const [version] = await compareAll(repo, [{ target, source }]);
  return version!;
}
