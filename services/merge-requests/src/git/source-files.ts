import { notFound } from '@switchyard/errors';
import type { Sha, TreePath } from './names';
import { GitCommandError, type GitOptions, type Repository, streamGit } from './run-git';

/** A file, link or submodule below a folder. */
export interface SourceEntry {
  /** Below the folder; bytes that are no UTF-8 are U+FFFD. */
  readonly path: string;
  /** Six octal digits. */
  readonly mode: string;
  readonly sha: Sha;
  /** Bytes; 0 of a submodule. */
  readonly size: number;
}

// Whoever takes the output may be slow; a client that disconnects ends the process before.
const transfer: GitOptions = { timeoutMs: 1_800_000, cpuSeconds: 600 };

const empty: Buffer = Buffer.alloc(0);

/**
 * All that lies below a folder of a commit but folders themselves, in git's order, as it comes. Throws `not_found` where
 * there is no such folder.
 */
export async function* walkSourceTree(
  repo: Repository,
  commit: Sha,
  path: TreePath | undefined,
): AsyncGenerator<SourceEntry[]> {
  const treeish = path === undefined ? `${commit}^{tree}` : `${commit}:${path}`;
  let rest = empty;
  try {
    const args = ['ls-tree', '-r', '-l', '-z', '--full-tree', '--end-of-options', treeish];
    for await (const chunk of streamGit(repo, args, transfer)) {
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = data.lastIndexOf(0) + 1;
      if (end > 0) yield parseEntries(data.toString('utf8', 0, end));
      rest = data.subarray(end);
    }
  } catch (cause) {
    if (cause instanceof GitCommandError && /Not a valid object name|not a tree object/i.test(cause.stderr))
      throw notFound('Tree');
    throw cause;
  }
}

const parseEntries = (text: string): SourceEntry[] =>
  text
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , sha = '', size = ''] = line.slice(0, tab).split(/ +/);
      return { path: line.slice(tab + 1), mode, sha: sha as Sha, size: size === '-' ? 0 : Number(size) };
    });

/** The next part of a content; `index` is its place among those that were asked for. */
export interface BlobPart {
  readonly index: number;
  readonly content: Buffer;
}

/**
 * Contents of files one after another, by one process, whatever their sizes; one without bytes has one part. Throws
 * `not_found` for what is no file.
 */
export async function* streamBlobs(repo: Repository, shas: readonly Sha[]): AsyncGenerator<BlobPart> {
  if (shas.length === 0) return;
  let index = -1;
  let rest = empty;
  /** Bytes of the content and of the line feed after it that are still to come. */
  let left = 0;
  const args = ['cat-file', '--batch', '--buffer'];
  for await (const chunk of streamGit(repo, args, { ...transfer, input: `${shas.join('\n')}\n` })) {
    let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (data.length > 0) {
      if (left > 0) {
        const content = data.subarray(0, Math.min(data.length, left - 1));
        if (content.length > 0) yield { index, content };
        const taken = Math.min(data.length, left);
        left -= taken;
        data = data.subarray(taken);
        continue;
      }
      const end = data.indexOf(10);
      if (end < 0) break;
      const [, type, size] = data.toString('latin1', 0, end).split(' ');
      if (type !== 'blob') throw notFound('Blob');
      index += 1;
      left = Number(size) + 1;
      data = data.subarray(end + 1);
      if (left === 1) yield { index, content: empty };
    }
    rest = data;
  }
}
