import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart } from '../../libs/machine/src/processes.mjs';

const POLL_MS = 100;

/**
 * Takes a lock file that names its holder (number and start time), so that a killed holder's lock is void.
 *
 * @param {string} file
 * @param {{ waitMs: number, stoppingWaitMs?: number, signal?: AbortSignal }} timeouts how long to wait for a living
 *   holder, and for one that has said it is stopping; `signal` ends the waiting with its reason
 * @returns {Promise<{ stopping(): void, release(): void } | { heldBy: number }>}
 */
export async function takeLock(file, { waitMs, stoppingWaitMs = waitMs, signal }) {
  const began = Date.now();
  const mine = { pid: process.pid, start: processStart(process.pid) };
  const draft = `${file}.${process.pid}`;
  for (;;) {
    if (place(file, draft, mine)) break;
    const holder = read(file);
    if (holder === undefined) continue;
    if (processStart(holder.pid) !== holder.start) {
      discard(file, holder);
      continue;
    }
    if (Date.now() - began > (holder.stopping ? stoppingWaitMs : waitMs)) return { heldBy: holder.pid };
    signal?.throwIfAborted();
    await sleep(POLL_MS);
  }
  return {
    stopping() {
      writeFileSync(draft, JSON.stringify({ ...mine, stopping: true }), { mode: 0o600 });
      renameSync(draft, file);
    },
    release() {
      if (read(file)?.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/** A link fails when the name is taken: no two processes succeed. */
function place(file, draft, holder) {
  writeFileSync(draft, JSON.stringify(holder), { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    // Cut short by a full disk: no process holds it.
    if (error instanceof SyntaxError) return { pid: 0, start: '' };
    throw error;
  }
}

/** Removes a dead holder's lock, and puts it back when another process took the lock in between. */
function discard(file, dead) {
  const aside = `${file}.${process.pid}.void`;
  try {
    renameSync(file, aside);
    const moved = read(aside);
    if (moved?.pid !== dead.pid || moved?.start !== dead.start) linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
