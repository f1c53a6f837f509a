import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { LaunchFailure } from './failure.mjs';

/** Folders, in a data folder, of files that rows name; a backup copies them after the rows. */
export const BACKUP_FILES = ['repositories', 'blobs', 'mails'];

/** Is in a data folder while a backup of it is made: nothing that rows name is removed (libs/background). */
const MARKER = 'backup-running';
const TOUCH_MS = 10_000;
/** A removal that had begun before the marker was there has ended by then. */
const SETTLE_MS = 1_000;
const SHOW_MS = 2_000;

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
 * too. Of a folder with `objects` in it, as repositories are, that comes last: a ref of the copy then finds its objects.
 * Files that share their bytes by hard links do so in the copy.
 */
export async function copyTree(from, to, { note, say, skip, emptied, owner }) {
  const copied = { files: 0, bytes: 0 };
  const shared = new Map();
  let shown = Date.now();
  const own = (path) => owner && chownSync(path, owner.uid, owner.gid);
  const text = () => `${copied.files} files, ${(copied.bytes / 2 ** 20).toFixed(1)} MiB`;

  const copyFile = (source, target, { dev, ino, nlink, size, mode }) => {
    const key = `${dev} ${ino}`;
    const first = nlink > 1 ? shared.get(key) : undefined;
    if (first !== undefined) linkSync(first, target);
    else {
      copyFileSync(source, target);
      chmodSync(target, mode & 0o777);
      own(target);
      if (nlink > 1) shared.set(key, target);
      copied.bytes += size;
    }
    copied.files += 1;
  };

  async function copyFolder(source, target, depth) {
    const found = lstatSync(source, { throwIfNoEntry: false });
    if (found === undefined) return;
    mkdirSync(target, { recursive: true, mode: found.mode & 0o777 });
    own(target);
    const done = new Set();
    for (;;) {
      const names = entries(source).filter((name) => !done.has(name) && !skip?.test(name));
      if (names.length === 0) return;
      names.sort((a, b) => Number(a === 'objects') - Number(b === 'objects'));
      for (const name of names) {
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
          } else if (entry.isFile()) copyFile(path, copy, entry);
        } catch (error) {
          if (error.code !== 'ENOENT' || existsSync(path)) throw error;
        }
        if (Date.now() - shown > SHOW_MS) {
          shown = Date.now();
          say(`    … ${text()}`);
          // Lets the marker be touched.
          await turn();
        }
      }
    }
  }

  await copyFolder(from, to, 0);
  note(text());
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
