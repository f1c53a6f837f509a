import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { processCommand, processStart } from '../../libs/machine/src/processes.mjs';

const POLL_MS = 500;
const MAX_ANCESTORS = 3;

/**
 * Calls back once when the npm that runs this script dies without having passed a signal on (`kill -9`), which would
 * otherwise leave the script running unseen. Without npm above it nothing is watched.
 *
 * @param {() => void} callback
 * @param {NodeJS.ProcessEnv} [env]
 */
export function onParentDeath(callback, env = process.env) {
  if (env.npm_lifecycle_event === undefined) return;
  const npm = npmAbove(process.ppid);
  if (npm === undefined) return;
  const timer = setInterval(() => {
    if (processStart(npm.pid) === npm.start) return;
    clearInterval(timer);
    callback();
  }, POLL_MS);
  timer.unref();
}

/** npm runs a script through a shell, which may or may not stand between. */
function npmAbove(first) {
  let pid = first;
  for (let level = 0; level < MAX_ANCESTORS && pid > 1; level++) {
    if (/\bnpm\b/.test(processCommand(pid) ?? '') && !/^\S*sh -c/.test(processCommand(pid))) {
      return { pid, start: processStart(pid) };
    }
    pid = parentOf(pid);
  }
  return undefined;
}

function parentOf(pid) {
  try {
    if (process.platform === 'linux')
      return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }));
  } catch {
    return 0;
  }
}
