import { build, built } from './build.mjs';
import { install, installed } from './install.mjs';

/**
 * Brings packages and build output up to date with the clone; says nothing when they are.
 *
 * @param {{ root: string, signal: AbortSignal, step: import('../progress.mjs').Progress['step'] }} options
 */
export async function prepareSources({ root, signal, step }) {
  if (!installed(root)) await step('install packages (npm ci)', () => install(root, signal));
  if (!built(root)) await step('generate and build', () => build(root, signal));
  signal.throwIfAborted();
}
