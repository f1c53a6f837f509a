import { branchNameOf, branchRef, type Sha } from './names';
import { readRefs } from './refs';
import type { Repository } from './run-git';

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
