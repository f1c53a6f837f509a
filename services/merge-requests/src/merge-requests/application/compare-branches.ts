import {
  changedPaths,
  countCommits,
  emptyTreeSha,
  listCommitIds,
  mergeBase,
  type Repository,
  type Sha,
} from '../../git';
import type { DiffVersion } from '../domain/merge-request-change';

/** Commits of a merge request by which it is found. */
const namedCommits = 1_000;

/** What a merge request compares, given the heads of both its branches. */
export async function compareBranches(repo: Repository, target: Sha, source: Sha): Promise<DiffVersion> {
  const [base, commitsCount, commitShas, changed] = await Promise.all([
    mergeBase(repo, target, source),
    countCommits(repo, { from: [source], not: [target] }),
    listCommitIds(repo, { from: [source], not: [target], limit: namedCommits }),
    changedPaths(repo, { from: target, to: source }),
  ]);
  return {
    baseSha: base ?? emptyTreeSha,
    headSha: source,
    startSha: target,
    commitsCount,
    filesCount: changed.total,
    commitShas,
  };
}
