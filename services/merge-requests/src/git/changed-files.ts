import { isAppError } from '@switchyard/errors';
import { emptyTreeSha, type Sha } from './names';
import { ObjectReader } from './objects';
import type { GitOptions, Repository } from './run-git';

/** Files that one comparison lists at the most: git holds all of them before it prints the first, 300 bytes each. */
export const maxListedFiles = 100_000;
/** Files whose lines are counted for one request at the most: some 70 µs of CPU each. */
export const maxCountedFiles = 20_000;

/** How two trees differ. Nothing is said of renames. */
export interface Changes {
  /** Files that differ; `Infinity` where more than 50,000 folders would have to be read to know. */
  readonly total: number;
  /** The first of them, in git's order. */
  readonly first: readonly ChangedFile[];
}

/** A file that differs; a side without a mode does not have it. */
export interface ChangedFile {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

interface Entry {
  readonly mode: string;
  readonly sha: Sha;
}

type Tree = ReadonlyMap<string, Entry>;

/** Folders read for one request; what needs more, or is deeper, counts as endless. */
const maxFolders = 50_000;
const maxDepth = 500;

class Endless extends Error {}

const nothing: Tree = new Map();
const isFolder = (entry: Entry | undefined): boolean => entry?.mode === '40000';
const folderOf = (entry: Entry | undefined): Sha | undefined => (isFolder(entry) ? entry?.sha : undefined);
/** Mode of what is no folder. */
const fileOf = (entry: Entry | undefined): string | undefined => (isFolder(entry) ? undefined : entry?.mode);

function parseTree(content: Buffer): Tree {
  const entries = new Map<string, Entry>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(32, at);
    const end = content.indexOf(0, space);
    const mode = content.toString('latin1', at, space);
    entries.set(content.toString('latin1', space + 1, end), {
      mode: mode.replace(/^0+/, ''),
      sha: content.toString('hex', end + 1, end + 21) as Sha,
    });
    at = end + 21;
  }
  return entries;
}

/**
 * Counts what differs without listing it: two folders that differ in the same way at a thousand places are compared
 * once. So a tree of a million files made of a few folders, which git would list one by one, costs what its few folders
 * cost.
 */
class Comparing {
  private readonly trees = new Map<string, Tree>();
  private readonly counts = new Map<string, number>();

  constructor(private readonly reader: ObjectReader) {}

  /** The tree of a commit or of itself. */
  async root(sha: Sha): Promise<Sha> {
    const [object] = await this.reader.read([sha]);
    if (object?.type !== 'commit') return sha;
    return object.content.toString('latin1', 'tree '.length, 'tree '.length + 40) as Sha;
  }

  async count(before: Sha | undefined, after: Sha | undefined, depth = 0): Promise<number> {
    if (before === after) return 0;
    const key = `${before} ${after}`;
    const known = this.counts.get(key);
    if (known !== undefined) return known;
    if (depth > maxDepth) throw new Endless();
    let count = 0;
    for (const [, one, other] of await this.differing(before, after)) {
      if (fileOf(one) !== undefined || fileOf(other) !== undefined) count += 1;
      count += await this.count(folderOf(one), folderOf(other), depth + 1);
    }
    this.counts.set(key, count);
    return count;
  }

  /** The first files that differ, until `found` has `limit` of them. */
  async list(
    before: Sha | undefined,
    after: Sha | undefined,
    limit: number,
    found: ChangedFile[],
    prefix = '',
  ): Promise<void> {
    // A folder in which nothing differs, however many there are of it, leads to no file.
    if ((await this.count(before, after)) === 0) return;
    for (const [name, one, other] of await this.differing(before, after)) {
      if (found.length >= limit) return;
      const path = `${prefix}${name}`;
      const [before, after] = [fileOf(one), fileOf(other)];
      if (before !== undefined || after !== undefined)
        found.push({ path: Buffer.from(path, 'latin1').toString('utf8'), before, after });
      await this.list(folderOf(one), folderOf(other), limit, found, `${path}/`);
    }
  }

  private async differing(
    before: Sha | undefined,
    after: Sha | undefined,
  ): Promise<[name: string, before: Entry | undefined, after: Entry | undefined][]> {
    const [one, other] = [await this.read(before), await this.read(after)];
    const names = [...new Set([...one.keys(), ...other.keys()])];
    const order = (name: string) => (isFolder(one.get(name) ?? other.get(name)) ? `${name}/` : name);
    return names
      .map((name): [string, Entry | undefined, Entry | undefined] => [name, one.get(name), other.get(name)])
      .filter(([, a, b]) => a?.sha !== b?.sha || a?.mode !== b?.mode)
      .sort(([a], [b]) => (order(a) < order(b) ? -1 : 1));
  }

  private async read(sha: Sha | undefined): Promise<Tree> {
    if (sha === undefined || sha === emptyTreeSha) return nothing;
    const known = this.trees.get(sha);
    if (known !== undefined) return known;
    if (this.trees.size >= maxFolders) throw new Endless();
    const [object] = await this.reader.read([sha]);
    const tree = object?.type === 'tree' ? parseTree(object.content) : nothing;
    this.trees.set(sha, tree);
    return tree;
  }
}

/** How commits or trees differ, pair by pair; `listed` files of each are named. One process. */
export async function compareTrees(
  repo: Repository,
  pairs: readonly { from: Sha; to: Sha }[],
  listed = 0,
  options: GitOptions = {},
): Promise<Changes[]> {
  const reader = await ObjectReader.open(repo, options);
  try {
    const all: Changes[] = [];
    const comparing = new Comparing(reader);
    for (const { from, to } of pairs) {
      const [before, after] = [await comparing.root(from), await comparing.root(to)];
      const first: ChangedFile[] = [];
      const total = await comparing.count(before, after).catch((cause) => {
        if (cause instanceof Endless) return Number.POSITIVE_INFINITY;
        throw cause;
      });
      if (listed > 0 && total < Number.POSITIVE_INFINITY) await comparing.list(before, after, listed, first);
      all.push({ total, first });
    }
    return all;
  } finally {
    reader.close();
  }
}

/** Milliseconds after which a comparison is checked: ordinary ones take 5. */
const slowMs = 150;

/**
 * Runs a comparison by git. One that is not done after 150 ms, or reaches its memory limit, is also counted, and
 * stopped when it has more files than `most`: git reads all of them before it prints the first.
 */
export async function unlessTooMany<T>(
  repo: Repository,
  pairs: readonly { from: Sha; to: Sha }[],
  { most, listed = 0 }: { most: number; listed?: number },
  run: (options: GitOptions) => Promise<T>,
  options: GitOptions = {},
): Promise<{ readonly value: T } | { readonly changes: readonly Changes[] }> {
  const [stop, counted] = [new AbortController(), new AbortController()];
  const signalOf = (own: AbortSignal) => (options.signal ? AbortSignal.any([options.signal, own]) : own);
  const running = run({ ...options, signal: signalOf(stop.signal) }).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const count = async () => {
    const changes = await compareTrees(repo, pairs, listed, { ...options, signal: signalOf(counted.signal) });
    return changes.reduce((sum, { total }) => sum + total, 0) > most ? { changes } : undefined;
  };
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), slowMs);
  });
  const soon = await Promise.race([running, slow]).finally(() => clearTimeout(timer));
  if (soon === undefined) {
    const counting = count();
    const first = await Promise.race([running.then(() => undefined), counting]).catch(() => undefined);
    if (first !== undefined) {
      stop.abort(new Error('too many files'));
      await running;
      return first;
    }
    // Whichever was first: the count of what git has done by now is of no use, and the other way round git goes on.
    const done = await running;
    counted.abort(new Error('git was faster'));
    await counting.catch(() => undefined);
    if (!('error' in done)) return done;
  }
  const done = await running;
  if (!('error' in done)) return done;
  if (!isAppError(done.error, 'too_large')) throw done.error;
  const many = await compareTrees(repo, pairs, listed, options);
  if (many.reduce((sum, { total }) => sum + total, 0) > most) return { changes: many };
  throw done.error;
}
