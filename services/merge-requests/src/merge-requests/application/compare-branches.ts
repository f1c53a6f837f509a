import {
  branchNameOf,
  branchRef,
  changedPaths,
  countCommits,
  emptyTreeSha,
  mergeBase,
  type Repository,
  readRefs,
  type Sha,
} from '../../git';
import type { DiffVersion } from '../domain/merge-request-change';

/** Heads of branches by name; names that are no branch are left out. One process. */
export async function readHeads(repo: Repository, branches: readonly string[]): Promise<Map<string, Sha>> {
  const names = [...new Set(branches)].flatMap((name) => branchNameOf(name) ?? []);
  if (names.length === 0) return new Map();
  const refs = await readRefs(repo, names.map(branchRef));
  return new Map(
    names.flatMap((name) => {
      const sha = refs.get(branchRef(name))?.sha;
      return sha === undefined ? [] : [[name, sha] as const];
    }),
  );
}

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
