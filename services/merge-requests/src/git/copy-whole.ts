import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeRefs } from './copy-repository';
import { type CopyDescription, type CopySource, type SettingsFile, sourceHere } from './copy-source';
import type { Sha } from './names';
import { listRefs } from './refs';
import { buryRepository, initRepository, migrateObjects, withObjectArea } from './repository';
import { GitCommandError, type Repository, runGit } from './run-git';

/** Milliseconds for a check of all objects, and for the index of a history. */
const timeoutMs = 7_200_000;
/** Files that are copied at the same time. */
const copiesAtOnce = 8;
/** Lists of the objects of a source that is packed meanwhile; each finds less than the one before. */
const maxLists = 20;

/** Writes what was copied to the disk: the other copy is removed one day. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Writes a file with objects to the disk, and ends in the middle of it where `signal` fires. */
async function writeObjectFile(
  content: AsyncIterable<Buffer>,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await pipeline(content, createWriteStream(target, { mode: 0o444, flush: true }), { signal });
}

/**
 * Brings over each file with objects that `into` lacks, also those that no ref reaches: rows name such commits. Files of
 * git's never change, so it is safe while either side is used and packed. Repeatable; does nothing where `from` is gone.
 * @param signal ends it, with nothing brought over
 */
export async function copyObjects(from: CopySource, into: Repository, signal?: AbortSignal): Promise<void> {
  const first = await from.objectFiles(signal);
  if (first === undefined) return;
  await withObjectArea(into, async (area) => {
    const there = new Set(await sourceHere(into).objectFiles());
    for (let listed: readonly string[] = first, list = 1; ; list += 1) {
      const missing = listed.filter((name) => !there.has(name));
      if (missing.length === 0) break;
      if (list > maxLists) throw new Error(`the objects of ${from.name} do not come to rest`);
      const copyOne = async (name: string): Promise<void> => {
        signal?.throwIfAborted();
        const content = await from.openObjectFile(name, signal);
        // It was packed meanwhile: the next list has the pack.
        if (content === undefined) return;
        await writeObjectFile(content, join(area.objects.directory, name), signal);
        there.add(name);
      };
      for (let at = 0; at < missing.length; at += copiesAtOnce) {
        const ends = await Promise.allSettled(missing.slice(at, at + copiesAtOnce).map(copyOne));
        // The area is removed only once nothing writes to it.
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      }
      listed = (await from.objectFiles(signal)) ?? [];
    }
    await migrateObjects(area);
  });
}

async function writeSettings(into: Repository, settings: readonly SettingsFile[]): Promise<void> {
  for (const { name, content } of settings) await writeFile(join(into.path, name), content, { flush: true });
}

type Refs = CopyDescription['refs'];

const linesOf = (refs: Refs): string => refs.map(({ ref, sha }) => `${sha} ${ref}\n`).join('');

/** @throws GitCommandError when something is missing of what the refs reach */
const requireWhole = (repo: Repository, options: Parameters<typeof runGit>[2]) =>
  runGit(repo, ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'], options);

/** A copy of a whole repository that nobody uses yet. */
export interface WholeCopy {
  /**
   * Brings the copy up to date, checks that both have the same refs, and that nothing is missing of what they reach.
   * Quick after the first time. No ref of the source may move while it runs for the last time.
   * @param signal ends it; it can be made again
   * @throws Error when they differ, GitCommandError when something is missing
   */
  update(signal?: AbortSignal): Promise<void>;
  /** Moves it into its place, in a moment; what lies there is removed by `drop`. */
  place(): Promise<void>;
  /** Removes it, unless it was moved into its place. */
  drop(): Promise<void>;
}

/** Begins a copy of all of `from`, in the same folder as `target`, which it is to become. */
export async function copyWhole(from: CopySource, target: Repository): Promise<WholeCopy> {
  const parent = dirname(target.path);
  await mkdir(parent, { recursive: true });
  // A name that `sweepLeftovers` knows.
  const draft: Repository = { path: join(parent, `.new-${randomBytes(8).toString('hex')}`) };
  await initRepository(draft, 'main');
  let checked: ReadonlySet<Sha> | undefined;
  let replaced: string | undefined;

  async function check(refs: Refs, signal: AbortSignal | undefined): Promise<void> {
    const options = { timeoutMs, ...(signal && { signal }) };
    const copied = await listRefs(draft, ['refs/'], options);
    if (linesOf(copied) !== linesOf(refs)) throw new Error(`the copy of ${from.name} has other refs`);
    const tips = new Set(refs.map(({ sha }) => sha));
    if (checked === undefined) {
      await requireWhole(draft, options);
      await runGit(draft, ['commit-graph', 'write', '--reachable', '--split', '--changed-paths', '--no-progress'], {
        ...options,
        holdsLocks: true,
      });
    } else {
      const known = checked;
      const later = [...tips].filter((sha) => !known.has(sha));
      const input = [...later, ...[...known].map((sha) => `^${sha}`)].join('\n');
      if (later.length > 0)
        await runGit(draft, ['rev-list', '--objects', '--quiet', '--stdin'], { ...options, input: `${input}\n` });
    }
    checked = tips;
  }

  return {
    async update(signal) {
      // Refs before objects: what they reach was there when they were listed.
      const { refs, settings } = await from.describe(signal);
      await copyObjects(from, draft, signal);
      await writeSettings(draft, settings);
      await writeRefs(draft, refs);
      await check(refs, signal);
    },
    async place() {
      replaced = await buryRepository(target);
      await rename(draft.path, target.path);
      await flush(parent);
    },
    async drop() {
      for (const path of [draft.path, replaced])
        if (path !== undefined) await rm(path, { recursive: true, force: true });
    },
  };
}

/** Whether all is there that the refs of a repository reach. */
export async function isWhole(repo: Repository): Promise<boolean> {
  try {
    await requireWhole(repo, { timeoutMs });
    return true;
  } catch (cause) {
    if (cause instanceof GitCommandError) return false;
    throw cause;
  }
}
