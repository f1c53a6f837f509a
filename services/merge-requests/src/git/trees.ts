import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AppError, notFound } from '@switchyard/errors';
import { listCommits } from './commits';
import type { RefName, Sha, TreePath } from './names';
import { describeObjects } from './objects';
import { GitCommandError, type GitOptions, gitText, type Repository, streamGit } from './run-git';

/** An entry of a tree. `commit` is a submodule. */
export interface TreeEntry {
  sha: Sha;
  name: string;
  type: 'tree' | 'blob' | 'commit';
  path: TreePath;
  /** Six octal digits: `040000`, `100644`, `100755`, `120000`, `160000`. */
  mode: string;
}

const typeRank = { tree: 0, blob: 1, commit: 2 } as const;

/**
 * Entries of one folder, with what lies below it where that is wanted, that are listed at the most: those that come
 * first in git's order. Half a second of CPU.
 */
export const maxTreeEntries = 100_000;

/** A page of a folder. */
export interface TreePage {
  entries: TreeEntry[];
  /** Entries in all; {@link maxTreeEntries} where there are more. */
  total: number;
  /** `after` of the next page, `undefined` on the last. */
  next: string | undefined;
}

/**
 * The entries of a folder at a commit, folders first, then files, then submodules, each by path. `recursive` goes down
 * to the last file and lists the folders on the way. Throws `not_found` when `path` is no folder there.
 */
export async function readTree(
  repo: Repository,
  commit: Sha | RefName,
  query: { path?: TreePath; recursive?: boolean; offset?: number; after?: string; limit?: number } = {},
  options: GitOptions = {},
): Promise<TreePage> {
  const treeish = query.path === undefined ? `${commit}^{tree}` : `${commit}:${query.path}`;
  const prefix = query.path === undefined ? '' : `${query.path}/`;
  const args = ['ls-tree', '-z', '--full-tree', ...(query.recursive ? ['-r', '-t'] : []), '--end-of-options', treeish];
  const all = await treeEntries(repo, args, prefix, options);
  // The order of a tree object is by bytes, folders as if they ended in a slash; a stable sort keeps it within each
  // type.
  const ordered = all.sort((a, b) => typeRank[a.type] - typeRank[b.type]);
  const found = query.after === undefined ? -1 : ordered.findIndex(({ path }) => path === query.after);
  const start = query.after === undefined ? (query.offset ?? 0) : found < 0 ? ordered.length : found + 1;
  const entries = query.limit === undefined ? ordered.slice(start) : ordered.slice(start, start + query.limit);
  return {
    entries,
    total: all.length,
    next: start + entries.length < ordered.length ? entries.at(-1)?.path : undefined,
  };
}

/** The entries that `ls-tree` prints, as they come: once there are enough it is ended. */
async function treeEntries(
  repo: Repository,
  args: readonly string[],
  prefix: string,
  options: GitOptions,
): Promise<TreeEntry[]> {
  const all: TreeEntry[] = [];
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of streamGit(repo, args, options)) {
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = data.lastIndexOf(0) + 1;
      for (const entry of parseTree(data.toString('utf8', 0, end), prefix)) all.push(entry);
      rest = data.subarray(end);
      if (all.length >= maxTreeEntries) return all.slice(0, maxTreeEntries);
    }
  } catch (cause) {
    if (cause instanceof GitCommandError && /Not a valid object name|not a tree object/i.test(cause.stderr))
      throw notFound('Tree');
    throw cause;
  }
  return all;
}

function parseTree(text: string, prefix: string): TreeEntry[] {
  return text
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', type = '', sha = ''] = line.slice(0, tab).split(' ');
      const inner = line.slice(tab + 1);
      return {
        mode,
        type: type as TreeEntry['type'],
        sha: sha as Sha,
        path: `${prefix}${inner}` as TreePath,
        name: inner.slice(inner.lastIndexOf('/') + 1),
      };
    });
}

/** The entry at a path of a commit; `undefined` when there is none. */
export async function entryAt(
  repo: Repository,
  commit: Sha,
  path: TreePath,
  options: GitOptions = {},
): Promise<(TreeEntry & { size: number | undefined }) | undefined> {
  const text = await gitText(repo, ['ls-tree', '-z', '-l', '--full-tree', '--end-of-options', commit, path], options);
  const line = text.split('\0')[0] ?? '';
  const tab = line.indexOf('\t');
  if (tab < 0 || line.slice(tab + 1) !== path) return undefined;
  const [mode = '', type = '', sha = '', size = ''] = line.slice(0, tab).split(/ +/);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return {
    mode,
    type: type as TreeEntry['type'],
    sha: sha as Sha,
    path,
    name,
    size: size === '-' ? undefined : Number(size),
  };
}

/** A file at a commit, without its content. */
export interface FileMeta {
  path: TreePath;
  name: string;
  blob: Sha;
  /** Bytes. */
  size: number;
  mode: string;
  executable: boolean;
  /** The newest commit, reachable from the one asked, that changed this path. */
  lastCommit: Sha;
  /** Hexadecimal SHA-256 of the content. */
  sha256: string;
}

// A file asked for with its content travels in one message.
const defaultContentBytes = 50 * 1024 * 1024;

/**
 * A file and its content. Throws `not_found` when the path is no file there, `too_large` over `maxBytes` (default 50
 * MiB).
 */
export async function readFileAt(
  repo: Repository,
  commit: Sha,
  path: TreePath,
  options: GitOptions & { maxBytes?: number } = {},
): Promise<FileMeta & { content: Buffer }> {
  const parts: Buffer[] = [];
  const meta = await walkFile(
    repo,
    commit,
    path,
    { ...options, maxBytes: options.maxBytes ?? defaultContentBytes },
    (part) => {
      parts.push(part);
    },
  );
  return { ...meta, content: Buffer.concat(parts) };
}

/**
 * A file's metadata, its content streamed through the hash and never held. Throws `not_found` when the path is no file
 * there.
 */
export async function fileMeta(
  repo: Repository,
  commit: Sha,
  path: TreePath,
  options: GitOptions = {},
): Promise<FileMeta> {
  return walkFile(repo, commit, path, options, () => undefined);
}

async function walkFile(
  repo: Repository,
  commit: Sha,
  path: TreePath,
  options: GitOptions & { maxBytes?: number },
  onPart: (part: Buffer) => void,
): Promise<FileMeta> {
  const [entry, [last]] = await Promise.all([
    entryAt(repo, commit, path, options),
    listCommits(repo, { from: [commit], path, limit: 1 }, options),
  ]);
  if (entry?.type !== 'blob') throw notFound('File');
  if (options.maxBytes !== undefined && (entry.size ?? 0) > options.maxBytes) throw new AppError('too_large');
  const hash = createHash('sha256');
  for await (const part of streamGit(repo, ['cat-file', 'blob', entry.sha], options)) {
    hash.update(part);
    onPart(part);
  }
  return {
    path,
    name: entry.name,
    blob: entry.sha,
    size: entry.size ?? 0,
    mode: entry.mode,
    executable: entry.mode === '100755',
    lastCommit: last?.id ?? commit,
    sha256: hash.digest('hex'),
  };
}

/** A blob as a stream; destroying the stream ends the process. Throws `not_found` when `sha` is no blob. */
export async function readBlob(
  repo: Repository,
  sha: Sha,
  options: GitOptions = {},
): Promise<{ size: number; content: Readable }> {
  const [found] = await describeObjects(repo, [sha], options);
  if (found?.type !== 'blob') throw notFound('Blob');
  const content = Readable.from(streamGit(repo, ['cat-file', 'blob', sha], options), { objectMode: false });
  return { size: found.size, content };
}
