import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';

/** Bytes that must be free, in memory and in its file system: a whole run holds less than 3 GiB at a time. */
const needed = 8 * 1024 ** 3;

const prefix = 'switchyard-test-';

/**
 * Makes the folder in which a run of the tests keeps everything: in memory where there is room for it and programs may
 * run there, since a run makes and removes a million small files; otherwise in the system's temporary folder, and there
 * too where `TMPDIR` names one.
 *
 * @param {{ large: boolean }} needs `large` for runs that write files of gigabytes
 * @returns {string} its real path
 */
export function makeTestFolder({ large }) {
  const folder =
    (!large && !process.env.TMPDIR && folderInMemory()) || mkdtempSync(join(realpathSync(tmpdir()), prefix));
  // PostgreSQL, run as another user by root, must be able to pass.
  chmodSync(folder, 0o711);
  return folder;
}

function folderInMemory() {
  let folder;
  try {
    const { bavail, bsize } = statfsSync(memory);
    const [, available] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'));
    if (Math.min(bavail * bsize, Number(available) * 1024) < needed) return undefined;
    folder = mkdtempSync(join(memory, prefix));
    const probe = join(folder, 'probe');
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o700 });
    execFileSync(probe);
    rmSync(probe);
    return folder;
  } catch {
    // Not Linux, or a container that lets nothing run there.
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}
