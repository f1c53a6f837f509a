import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeRefs } from './copy-repository';
import type { Sha } from './names';
import { listRefs, type Ref } from './refs';
import { buryRepository, initRepository, migrateObjects, repositoryExists, withObjectArea } from './repository';
import { GitCommandError, type Repository, runGit } from './run-git';

/** Milliseconds for a check of all objects, and for the index of a history. */
const timeoutMs = 7_200_000;
/** Files that are copied at the same time. */
const copiesAtOnce = 8;
/** Lists of the objects of a source that is packed meanwhile; each finds less than the one before. */
const maxLists = 20;
/** Extensions of what belongs to a pack, in the order in which git may see them. */
const packFile = /^pack-[0-9a-f]{40}\.(?:pack|rev|keep|idx)$/;

const isGone = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === 'ENOENT';

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((cause) => {
    if (!isGone(cause)) throw cause;
    return [];
  });

/** Files with the objects of a repository. Loose ones first: git packs them before it removes them. */
async function objectFiles(repo: Repository): Promise<string[]> {
  const objects = join(repo.path, 'objects');
  const files: string[] = [];
  for (const folder of (await namesIn(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    const names = await namesIn(join(objects, folder));
    files.push(...names.filter((name) => /^[0-9a-f]{38}$/.test(name)).map((name) => join(folder, name)));
  }
  const packs = await namesIn(join(objects, 'pack'));
  files.push(...packs.filter((name) => packFile.test(name)).map((name) => join('pack', name)));
  return files;
}

/** Writes what was copied to the disk: the other copy is removed one day. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Copies a file with objects to the disk, and ends in the middle of it where `signal` fires. */
async function copyObjectFile(source: string, target: string, signal: AbortSignal | undefined): Promise<void> {
  const file = await open(source, 'r');
  await mkdir(dirname(target), { recursive: true });
  await pipeline(file.createReadStream(), createWriteStream(target, { mode: 0o444, flush: true }), { signal });
}

/**
 * Brings over each file with objects that `into` lacks, also those that no ref reaches: rows name such commits. Files of
 * git's never change, so it is safe while either side is used and packed. Repeatable; does nothing where `from` is gone.
 * @param signal ends it, with nothing brought over
 */
export async function copyObjects(from: Repository, into: Repository, signal?: AbortSignal): Promise<void> {
  if (!(await repositoryExists(from))) return;
  await withObjectArea(into, async (area) => {
    const there = new Set(await objectFiles(into));
    for (let list = 1; ; list += 1) {
      const missing = (await objectFiles(from)).filter((name) => !there.has(name));
      if (missing.length === 0) break;
      if (list > maxLists) throw new Error(`the objects of ${from.path} do not come to rest`);
      const copyOne = async (name: string): Promise<void> => {
        signal?.throwIfAborted();
        try {
          await copyObjectFile(join(from.path, 'objects', name), join(area.objects.directory, name), signal);
        } catch (cause) {
          // It was packed meanwhile: the next list has the pack.
          if (isGone(cause)) return;
          throw cause;
        }
        there.add(name);
      };
      for (let at = 0; at < missing.length; at += copiesAtOnce) {
        const ends = await Promise.allSettled(missing.slice(at, at + copiesAtOnce).map(copyOne));
        // The area is removed only once nothing writes to it.
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      }
    }
    await migrateObjects(area);
  });
}

/** Copies the files beside objects and refs: HEAD, the configuration, why a copy failed. */
async function copySettings(from: Repository, into: Repository): Promise<void> {
  for (const entry of await readdir(from.path, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'packed-refs' || entry.name.endsWith('.lock')) continue;
    await copyFile(join(from.path, entry.name), join(into.path, entry.name));
    await flush(join(into.path, entry.name));
  }
}

const linesOf = (refs: readonly Ref[]): string => refs.map(({ ref, sha }) => `${sha} ${ref}\n`).join('');

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
export async function copyWhole(from: Repository, target: Repository): Promise<WholeCopy> {
  const parent = dirname(target.path);
  await mkdir(parent, { recursive: true });
  // A name that `sweepLeftovers` knows.
  const draft: Repository = { path: join(parent, `.new-${randomBytes(8).toString('hex')}`) };
  await initRepository(draft, 'main');
  let checked: ReadonlySet<Sha> | undefined;
  let replaced: string | undefined;

  async function check(refs: readonly Ref[], signal: AbortSignal | undefined): Promise<void> {
    const options = { timeoutMs, ...(signal && { signal }) };
    const copied = await listRefs(draft, ['refs/'], options);
    if (linesOf(copied) !== linesOf(refs)) throw new Error(`the copy of ${from.path} has other refs`);
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
      const refs = await listRefs(from, ['refs/'], { timeoutMs, ...(signal && { signal }) });
      await copyObjects(from, draft, signal);
      await copySettings(from, draft);
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
