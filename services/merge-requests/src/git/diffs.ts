import { Readable } from 'node:stream';
import { notFound } from '@switchyard/errors';
import { type Changes, maxListedFiles, unlessTooMany } from './changed-files';
import { readCommit } from './commits';
import { type DiffLimits, DiffParser, type FileDiff, isGenerated, maxDiffFiles } from './diff-parser';
import { gitLimitExceeded } from './git-process';
import { emptyTreeSha, type Sha, type TreePath } from './names';
import { mergeBase } from './refs';
import { GitCommandError, type GitOptions, gitText, type Repository, startGit, streamGit } from './run-git';

export { type DiffLimits, type FileDiff, maxDiffFiles } from './diff-parser';

/** Two commits (or trees) to compare. */
export interface Comparison {
  from: Sha;
  to: Sha;
  /**
   * `merge-base` (default): what `to` changed since it left `from`, as a merge request shows it; histories without a
   * common ancestor compare with the empty tree. `straight`: the two as they stand.
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

interface Compared {
  to: Sha;
  paths?: readonly TreePath[];
  unidiff?: boolean;
  limits?: DiffLimits;
}

async function compare(repo: Repository, base: Sha, request: Compared, options: GitOptions): Promise<Diff> {
  const { limits = {} } = request;
  const bounds = { most: maxListedFiles, listed: limits.maxFiles ?? maxDiffFiles };
  const compared = await unlessTooMany(
    repo,
    [{ from: base, to: request.to }],
    bounds,
    (bounded) => parsedDiff(repo, base, request, bounded),
    options,
  );
  if ('value' in compared) return compared.value;
  if (request.paths !== undefined) throw gitLimitExceeded('too many files under the paths of a comparison');
  return namesAlone(base, compared.changes[0]!, limits);
}

// More than this is returned as this.
const maxShownLines = 1_000_000_000;

/**
 * What is said of a comparison that git would take too long over: its first files without their text, and how many
 * there are.
 */
function namesAlone(base: Sha, { total, first }: Changes, { offset = 0, limit }: DiffLimits): Diff {
  const window = first.slice(offset, limit === undefined ? undefined : offset + limit);
  const files = window.map(
    ({ path, before, after }): FileDiff => ({
      oldPath: path,
      newPath: path,
      aMode: before ?? '0',
      bMode: after ?? '0',
      newFile: before === undefined,
      renamedFile: false,
      deletedFile: after === undefined,
      generatedFile: isGenerated(path),
      diff: '',
      collapsed: true,
      tooLarge: false,
    }),
  );
  return { base, files, total: Math.min(total, maxShownLines), overflow: true };
}

async function parsedDiff(repo: Repository, base: Sha, request: Compared, options: GitOptions): Promise<Diff> {
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

/** The files that differ. */
export interface ChangedPaths {
  /** Equal unless renamed. Empty where there are more than {@link maxListedFiles}. */
  files: { oldPath: string; newPath: string }[];
  total: number;
}

/** Names the files that a comparison changes, without their text. */
export async function changedPaths(
  repo: Repository,
  comparison: Comparison,
  options: GitOptions = {},
): Promise<ChangedPaths> {
  const base = await baseOf(repo, comparison, options);
  const args = [
    'diff-tree',
    '-z',
    '--name-status',
    ...diffArguments,
    '--end-of-options',
    base,
    comparison.to,
    ...pathArguments(comparison.paths),
  ];
  const named = await unlessTooMany(
    repo,
    [{ from: base, to: comparison.to }],
    { most: maxListedFiles },
    (bounded) => gitText(repo, args, { ...bounded, config: diffConfig }),
    options,
  );
  if (!('value' in named)) return { files: [], total: Math.min(named.changes[0]!.total, maxShownLines) };
  const parts = named.value.split('\0');
  const files: ChangedPaths['files'] = [];
  for (let at = 0; at < parts.length - 1; ) {
    const isRenamed = /^[RC]/.test(parts[at]!);
    const oldPath = parts[at + 1]!;
    files.push({ oldPath, newPath: isRenamed ? parts[at + 2]! : oldPath });
    at += isRenamed ? 3 : 2;
  }
  return { files, total: files.length };
}
