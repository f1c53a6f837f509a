import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LaunchFailure } from '../failure.mjs';
import { takeLock } from '../lock.mjs';
import { build, built } from './build.mjs';
import { install, installed } from './install.mjs';

// As long as the slowest installation and build of another launcher in the same clone may take.
const LOCK_WAIT_MS = 10 * 60_000;

/**
 * Brings packages and build output up to date with the clone; says nothing when they are. One launcher at a time.
 *
 * @param {{ root: string, signal: AbortSignal, step: import('../progress.mjs').Progress['step'], only?: readonly string[] }} options
 *   `only`: folders of the workspaces whose output is needed, in place of all
 * @throws {LaunchFailure}
 */
export async function prepareSources({ root, signal, step, only }) {
  if (installed(root) && built(root)) return;
  mkdirSync(join(root, '.turbo'), { recursive: true });
  const lock = await takeLock(join(root, '.turbo', 'launcher.lock'), { waitMs: LOCK_WAIT_MS, signal });
  if ('heldBy' in lock) throw new LaunchFailure(`process ${lock.heldBy} is building this clone and does not end`);
  try {
    if (!installed(root)) await step('install packages (npm ci)', () => install(root, signal));
    if (!built(root)) await step('generate and build', () => build(root, signal, only));
  } finally {
    lock.release();
  }
  signal.throwIfAborted();
}
