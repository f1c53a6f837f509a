import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { countObjects, type ObjectCounts } from './repository';
import { GitCommandError, type GitOptions, type Repository, runGit } from './run-git';

const timeoutMs = 1_800_000;

/** When a repository is worth packing. */
export interface MaintenanceBounds {
  /** Loose objects; default 2,000. */
  maxLoose?: number;
  /** Packs; default 20. */
  maxPacks?: number;
}

/** Milliseconds after which a pack that is not whole is what a killed process left. */
const unfinishedMs = 86_400_000;

/** Whether a repository has more loose objects, or more packs, than its bounds. */
export const isWorthPacking = (
  { loose, packs }: Pick<ObjectCounts, 'loose' | 'packs'>,
  { maxLoose = 2_000, maxPacks = 20 }: MaintenanceBounds = {},
): boolean => loose > maxLoose || packs > maxPacks;

/** Removes packs that a killed process had not finished. */
async function sweepUnfinishedPacks(repo: Repository): Promise<void> {
  const folder = join(repo.path, 'objects', 'pack');
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter((name) => /^(?:tmp_|\.tmp-)/.test(name)).map((name) => join(folder, name)))
    if (await isOlder(path, unfinishedMs)) await rm(path, { force: true });
}

/**
 * Rolls loose objects and small packs into larger ones, packs refs and indexes the history, when a bound is exceeded;
 * returns whether it did. Safe during pushes, merges and reads: no object is ever dropped, also none that no ref
 * reaches, since a push or a merge may be about to point at it.
 */
export async function maintainRepository(
  repo: Repository,
  bounds: MaintenanceBounds = {},
  options: GitOptions = {},
): Promise<boolean> {
  if (!isWorthPacking(await countObjects(repo, options), bounds)) return false;
  await sweepUnfinishedPacks(repo);
  const long = { timeoutMs, ...options, holdsLocks: true };
  await runGit(repo, ['repack', '--geometric=2', '-d', '-l', '-q'], long);
  await runGit(repo, ['pack-refs', '--all', '--prune'], long);
  // With the paths each commit changed, "the last commit of this file" need not open every tree.
  await runGit(
    repo,
    ['commit-graph', 'write', '--reachable', '--split', '--changed-paths', '--no-progress'],
    long,
  ).catch((error: unknown) => {
    // Another process writes it now; the index is optional.
    if (!(error instanceof GitCommandError) || !/\.lock': File exists/.test(error.stderr)) throw error;
  });
  return true;
}

/** Whether a file or folder was last changed longer ago than that; false where it is gone. */
export async function isOlder(path: string, milliseconds: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && found.mtimeMs <= Date.now() - milliseconds;
}

/** Ids of the projects of which a repository, or a wiki, lies in a storage, folder by folder. @param root folder of the storage */
export async function* idsOfRepositories(root: string): AsyncGenerator<number[]> {
  for (const shard of await readdir(root).catch(() => [])) {
    const names = await readdir(join(root, shard)).catch(() => []);
    const found = names.filter((name) => /^[1-9]\d{0,14}(?:\.wiki)?\.git$/.test(name));
    const ids = new Set(found.map((name) => Number.parseInt(name, 10)));
    if (ids.size > 0) yield [...ids];
  }
}

/**
 * Removes what a killed process left below `root`: repositories half made or half deleted, and quarantines, older than
 * `olderThanMs` (default a day, far beyond any push). Returns how many.
 */
export async function sweepLeftovers(root: string, olderThanMs = 86_400_000): Promise<number> {
  let removed = 0;
  const sweep = async (folder: string, pattern: RegExp): Promise<string[]> => {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((name) => pattern.test(name))) {
      const path = join(folder, name);
      if (!(await isOlder(path, olderThanMs))) continue;
      await rm(path, { recursive: true, force: true });
      removed += 1;
    }
    return names;
  };
  for (const shard of await readdir(root).catch(() => [])) {
    for (const name of await sweep(join(root, shard), /^\.(new|deleted)-[0-9a-f]{16}$/)) {
      if (name.endsWith('.git')) await sweep(join(root, shard, name, 'objects'), /^tmp_objdir-/);
    }
  }
  return removed;
}
