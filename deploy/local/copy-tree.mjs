import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { LaunchFailure } from './failure.mjs';

/** Folders, in a data folder, of files that rows name; a backup copies them after the rows. */
export const BACKUP_FILES = ['repositories', 'storages', 'blobs', 'mails'];

/** Is in a data folder while a backup of it is made: nothing that rows name is removed (libs/background). */
const MARKER = 'backup-running';
const TOUCH_MS = 10_000;
/** A removal that had begun before the marker was there has ended by then. */
const SETTLE_MS = 1_000;
/** Milliseconds between two lines that say how far a copy or its comparison is. */
export const SHOW_MS = 2_000;

/** How much that is, for these lines. */
export const amountOf = ({ files, bytes }) => `${files} files, ${(bytes / 2 ** 20).toFixed(1)} MiB`;

/**
 * What of a folder is copied after all else, in this order. Of a repository a ref of the copy then finds its objects, and git
 * moves refs from `refs` to `packed-refs`, and objects that refs need from loose files to `pack`.
 */
const LATER = ['packed-refs', 'objects', 'pack'];

/**
 * Keeps what rows name in data folders.
 *
 * @param {readonly string[]} folders
 * @returns {Promise<() => void>} what ends it
 * @throws {LaunchFailure} when another backup runs
 */
export async function markBackup(folders) {
  const markers = folders.map((folder) => join(folder, MARKER));
  for (const marker of markers) {
    const found = lstatSync(marker, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs < 2 * TOUCH_MS) throw new LaunchFailure(`another backup runs: ${marker}`);
  }
  for (const marker of markers) writeFileSync(marker, `${process.pid}\n`, { mode: 0o600 });
  const touch = () => {
    const now = new Date();
    for (const marker of markers) utimesSync(marker, now, now);
  };
  const touching = setInterval(touch, TOUCH_MS);
  await sleep(SETTLE_MS);
  return () => {
    clearInterval(touching);
    for (const marker of markers) rmSync(marker, { force: true });
  };
}

/**
 * Copies a folder that changes meanwhile: what vanishes is left out, what comes into a folder while it is copied is copied
 * too, but for refs that are packed once objects are copied. The process goes on with other work meanwhile.
 * Files that share their bytes by hard links do so in the copy.
 *
 * @param {string} from
 * @param {string} to
 * @param {{
 *   note: (text: string) => void,
 *   say: (text: string) => void,
 *   skip?: { test: (name: string) => boolean },
 *   emptied?: ReadonlySet<string>,
 *   owner?: { uid: number, gid: number },
 * }} options `skip`: names that are left out; `emptied`: folders of `from` that are made without what is in them
 */
export async function copyTree(from, to, { note, say, skip, emptied, owner }) {
  const copied = { files: 0, bytes: 0 };
  const shared = new Map();
  let shown = Date.now();
  const own = (path) => owner && chownSync(path, owner.uid, owner.gid);

  async function copyOne(source, target, { dev, ino, nlink, size, mode }) {
    const key = `${dev} ${ino}`;
    const first = nlink > 1 ? shared.get(key) : undefined;
    if (first === undefined || !isLinked(first, target)) {
      await copyFile(source, target);
      chmodSync(target, mode & 0o777);
      own(target);
      if (nlink > 1) shared.set(key, target);
      copied.bytes += size;
    }
    copied.files += 1;
  }

  async function copyFolder(source, target, depth) {
    const found = lstatSync(source, { throwIfNoEntry: false });
    if (found === undefined) return;
    mkdirSync(target, { recursive: true, mode: found.mode & 0o777 });
    own(target);
    const done = new Set();
    for (;;) {
      const names = entries(source).filter((name) => !done.has(name) && !skip?.test(name));
      if (names.length === 0) return;
      const rank = (name) => LATER.indexOf(name);
      const next = names.reduce((least, name) => Math.min(least, rank(name)), LATER.length);
      if (LATER[next] === 'objects') done.add('packed-refs');
      for (const name of names.filter((one) => rank(one) === next)) {
        done.add(name);
        const [path, copy] = [join(source, name), join(target, name)];
        const entry = lstatSync(path, { throwIfNoEntry: false });
        if (entry === undefined) continue;
        try {
          if (entry.isDirectory()) {
            if (depth === 0 && emptied?.has(name)) {
              mkdirSync(copy, { recursive: true, mode: 0o700 });
              own(copy);
            } else await copyFolder(path, copy, depth + 1);
          } else if (entry.isFile()) await copyOne(path, copy, entry);
        } catch (error) {
          if (error.code !== 'ENOENT' || existsSync(path)) throw error;
        }
        if (Date.now() - shown > SHOW_MS) {
          shown = Date.now();
          say(`    … ${amountOf(copied)}`);
          // Lets the marker be touched.
          await turn();
        }
      }
    }
  }

  await copyFolder(from, to, 0);
  note(amountOf(copied));
}

/**
 * Returns once what was written to the file system of a folder is on its disk: what marks a backup as complete must not
 * outlive a power failure that the files do not. One call, since a flush of each file takes hours for millions.
 *
 * @throws {LaunchFailure}
 */
export function flush(folder) {
  const { status, stderr, error } = spawnSync('sync', ['-f', folder], { encoding: 'utf8' });
  if (status !== 0)
    throw new LaunchFailure(`${folder} could not be written to its disk: ${error?.message ?? stderr.trim()}`);
}

/** False where the file must be copied: its file system has no links, or has no more of this one. */
function isLinked(first, target) {
  try {
    linkSync(first, target);
    return true;
  } catch (error) {
    if (error.code === 'ENOENT') throw error;
    return false;
  }
}

/** Names in a folder; none where it has just gone. */
function entries(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
