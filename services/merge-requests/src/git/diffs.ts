import { Readable } from 'node:stream';
import { notFound } from '@switchyard/errors';
import { readCommit } from './commits';
import { type DiffLimits, DiffParser, type FileDiff } from './diff-parser';
import { emptyTreeSha, type Sha, type TreePath } from './names';
import { mergeBase } from './refs';
import { GitCommandError, type GitOptions, gitText, type Repository, startGit, streamGit } from './run-git';

export type { DiffLimits, FileDiff } from './diff-parser';

/** Two commits (or trees) to compare. */
export interface Comparison {
  from: Sha;
  to: Sha;
  /**
   * `merge-base` (default): what `to` changed since it left `from`, as a merge request shows it; histories without a common
   * ancestor compare with the empty tree. `straight`: the two as they stand.
   */
  mode?: 'merge-base' | 'straight';
  /** Only these files and folders. */
  paths?: readonly TreePath[];
}

/** The files of a comparison. */
export interface Diff {
  /** What `to` was compared with: the merge base, `from`, or the empty tree. */
  base: Sha;
  files: FileDiff[];
  /** Files that differ in all. */
  total: number;
  /** True when files were cut off or left without text. */
  overflow: boolean;
}

const diffArguments = [
  '-r',
  '--full-index',
  '--find-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--submodule=short',
] as const;
const diffConfig: NonNullable<GitOptions['config']> = [['diff.renameLimit', '1000']];

async function baseOf(repo: Repository, { from, to, mode }: Comparison, options: GitOptions): Promise<Sha> {
  if (mode === 'straight') return from;
  return (await mergeBase(repo, from, to, options)) ?? emptyTreeSha;
}

const pathArguments = (paths: readonly TreePath[] | undefined): string[] =>
  paths && paths.length > 0 ? ['--', ...paths] : ['--'];

/** The files that differ and how, in git's order. `unidiff` puts the `---` and `+++` lines before each file's hunks. */
export async function diff(
  repo: Repository,
  comparison: Comparison & { unidiff?: boolean; limits?: DiffLimits },
  options: GitOptions = {},
): Promise<Diff> {
  const base = await baseOf(repo, comparison, options);
  return compare(repo, base, comparison, options);
}

/** What a commit changed against its first parent; a root commit against the empty tree. Throws `not_found`. */
export async function commitDiff(
  repo: Repository,
  sha: Sha,
  request: { unidiff?: boolean; limits?: DiffLimits } = {},
  options: GitOptions = {},
): Promise<Diff> {
  const commit = await readCommit(repo, sha, options);
  if (!commit) throw notFound('Commit');
  return compare(repo, commit.parents[0] ?? emptyTreeSha, { ...request, to: sha }, options);
}

async function compare(
  repo: Repository,
  base: Sha,
  request: { to: Sha; paths?: readonly TreePath[]; unidiff?: boolean; limits?: DiffLimits },
  options: GitOptions,
): Promise<Diff> {
  const args = [
    'diff-tree',
    '-z',
    '--raw',
    '--patch',
    ...diffArguments,
    '--end-of-options',
    base,
    request.to,
    ...pathArguments(request.paths),
  ];
  const child = await startGit(repo, args, { ...options, config: diffConfig });
  child.stdin.end();
  const parser = new DiffParser(request.unidiff ?? false, request.limits ?? {});
  let complete = false;
  try {
    for await (const chunk of child.stdout) {
      parser.push(chunk as Buffer);
      // Nothing that is still to come would be kept.
      if (parser.satisfied) return { base, ...parser.finish() };
    }
    complete = true;
  } finally {
    if (!complete) child.stop();
  }
  const { code, stderr } = await child.ended;
  if (code !== 0) throw new GitCommandError('diff-tree', code, stderr);
  return { base, ...parser.finish() };
}

/** The comparison as `git diff` prints it. Destroying the stream ends the process. */
export async function rawDiff(repo: Repository, comparison: Comparison, options: GitOptions = {}): Promise<Readable> {
  const base = await baseOf(repo, comparison, options);
  const args = [
    'diff-tree',
    '--patch',
    ...diffArguments,
    '--end-of-options',
    base,
    comparison.to,
    ...pathArguments(comparison.paths),
  ];
  return Readable.from(streamGit(repo, args, { timeoutMs: 120_000, ...options, config: diffConfig }), {
    objectMode: false,
  });
}

/** Lines added to and removed from one file. Binary files count none. */
export interface FileStats {
  oldPath: string;
  newPath: string;
  additions: number;
  deletions: number;
  binary: boolean;
}

/** Lines added and removed, by file and in all. */
export interface DiffStats {
  files: FileStats[];
  additions: number;
  deletions: number;
  changedFiles: number;
}

/** Counts the lines a comparison adds and removes. */
export async function diffStats(
  repo: Repository,
  comparison: Comparison,
  options: GitOptions = {},
): Promise<DiffStats> {
  const base = await baseOf(repo, comparison, options);
  const args = [
    'diff-tree',
    '-z',
    '--numstat',
    ...diffArguments,
    '--end-of-options',
    base,
    comparison.to,
    ...pathArguments(comparison.paths),
  ];
  const parts = (await gitText(repo, args, { ...options, config: diffConfig })).split('\0');
  const files: FileStats[] = [];
  for (let at = 0; at < parts.length - 1; ) {
    const [added = '', removed = '', ...rest] = parts[at]!.split('\t');
    const path = rest.join('\t');
    // A rename leaves its path empty and puts the two names behind it.
    const renamed = path === '';
    files.push({
      oldPath: renamed ? parts[at + 1]! : path,
      newPath: renamed ? parts[at + 2]! : path,
      additions: added === '-' ? 0 : Number(added),
      deletions: removed === '-' ? 0 : Number(removed),
      binary: added === '-',
    });
    at += renamed ? 3 : 1;
  }
  const sum = (pick: (file: FileStats) => number): number => files.reduce((total, file) => total + pick(file), 0);
  return {
    files,
    additions: sum((file) => file.additions),
    deletions: sum((file) => file.deletions),
    changedFiles: files.length,
  };
}
