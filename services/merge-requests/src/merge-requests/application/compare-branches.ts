import { changedPaths, countCommits, emptyTreeSha, mergeBase, type Repository, type Sha } from '../../git';
import type { DiffVersion } from '../domain/merge-request-change';

/** What a merge request compares, given the heads of both its branches. */
export async function compareBranches(repo: Repository, target: Sha, source: Sha): Promise<DiffVersion> {
  const [base, commitsCount, changed] = await Promise.all([
    mergeBase(repo, target, source),
    countCommits(repo, { from: [source], not: [target] }),
    changedPaths(repo, { from: target, to: source }),
  ]);
  return {
    baseSha: base ?? emptyTreeSha,
    headSha: source,
    startSha: target,
    commitsCount,
    filesCount: changed.total,
  };
}
