import { Readable } from 'node:stream';
import { isAppError, notFound } from '@switchyard/errors';
import { type Changes, maxListedFiles, unlessTooMany } from './changed-files';
import { readCommit } from './commits';
import { type DiffLimits, DiffParser, type FileDiff, isGenerated, maxDiffFiles } from './diff-parser';
import { gitLimitExceeded } from './git-process';
import { emptyTreeSha, type Sha, type TreePath } from './names';
import { describeObjects } from './objects';
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

/** Files by name and status, as git prints them from a place of its text on; with the place after them. */
function parseNames(text: string, from: number): { files: ChangedPaths['files']; end: number } {
  const files: ChangedPaths['files'] = [];
  let at = from;
  const field = (): string => {
    const end = text.indexOf('\0', at);
    const value = text.slice(at, end);
    at = end + 1;
    return value;
  };
  // What follows the files of a comparison are two ids, which have no capital letters.
  while (/[A-Z]/.test(text.charAt(at))) {
    const isRenamed = /^[RC]/.test(field());
    const oldPath = field();
    files.push({ oldPath, newPath: isRenamed ? field() : oldPath });
  }
  return { files, end: at };
}

const nameArguments = ['diff-tree', '-z', '--name-status', ...diffArguments] as const;

/** Names the files that a comparison changes, without their text. */
export async function changedPaths(
  repo: Repository,
  comparison: Comparison,
  options: GitOptions = {},
): Promise<ChangedPaths> {
  const base = await baseOf(repo, comparison, options);
  const args = [...nameArguments, '--end-of-options', base, comparison.to, ...pathArguments(comparison.paths)];
  const named = await unlessTooMany(
    repo,
    [{ from: base, to: comparison.to }],
    { most: maxListedFiles },
    (bounded) => gitText(repo, args, { ...bounded, config: diffConfig }),
    options,
  );
  if (!('value' in named)) return { files: [], total: Math.min(named.changes[0]!.total, maxShownLines) };
  const { files } = parseNames(named.value, 0);
  return { files, total: files.length };
}

/**
 * Names the files that change between pairs of commits or trees as they stand, in their order: two processes for all, or
 * one for each where together they are too much for one.
 */
export async function changedPathsOfAll(
  repo: Repository,
  pairs: readonly { readonly from: Sha; readonly to: Sha }[],
  options: GitOptions = {},
): Promise<ChangedPaths[]> {
  if (pairs.length > 1) {
    const together = await namesOfAll(repo, pairs, options).catch((error: unknown) => {
      if (!isAppError(error, 'too_large', 'request_timeout')) throw error;
      return undefined;
    });
    if (together !== undefined) return together;
  }
  const all: ChangedPaths[] = [];
  for (const pair of pairs) all.push(await changedPaths(repo, { ...pair, mode: 'straight' }, options));
  return all;
}

/** Undefined where they have too many files together. */
async function namesOfAll(
  repo: Repository,
  pairs: readonly { readonly from: Sha; readonly to: Sha }[],
  options: GitOptions,
): Promise<ChangedPaths[] | undefined> {
  const shas = [...new Set(pairs.flatMap(({ from, to }) => [from, to]))];
  const trees = await describeObjects(
    repo,
    shas.map((sha) => `${sha}^{tree}`),
    options,
  );
  const treeOf = new Map(shas.map((sha, at) => [sha, trees[at]?.sha]));
  const lines = pairs.map(({ from, to }) => `${treeOf.get(from)} ${treeOf.get(to)}\n`);
  const named = await unlessTooMany(
    repo,
    pairs,
    { most: maxListedFiles },
    (bounded) =>
      gitText(repo, [...nameArguments, '--stdin'], { ...bounded, config: diffConfig, input: lines.join('') }),
    options,
  );
  if (!('value' in named)) return undefined;
  let at = 0;
  return lines.map((line): ChangedPaths => {
    // Git begins each pair with its trees.
    const { files, end } = parseNames(named.value, at + line.length);
    at = end;
    return { files, total: files.length };
  });
}
