import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What identifies a process beyond its number: the time of its start, or undefined when no such process runs.
 * Process numbers are reused; a pair of number and start time is not.
 *
 * @param {number} pid
 * @returns {string | undefined}
 */
export function processStart(pid) {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The command name in parentheses may itself hold spaces and parentheses: fields are counted behind the last one.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  try {
    const line = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
    return line === '' ? undefined : line;
  } catch {
    return undefined;
  }
}

/**
 * The command line of a running process, arguments joined by blanks; undefined when it has ended or is hidden.
 *
 * @param {number} pid
 * @returns {string | undefined}
 */
export function processCommand(pid) {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}

/**
 * Ends a process this program did not start itself: each signal in turn, with time to act on it.
 *
 * @param {number} pid
 * @param {string} start result of `processStart`; a process with another start time is left alone
 * @param {{ signal: NodeJS.Signals, waitMs: number }[]} signals
 * @returns {Promise<boolean>} whether the process has ended
 */
export async function endProcess(pid, start, signals) {
  for (const { signal, waitMs } of signals) {
    if (processStart(pid) !== start) return true;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (error.code === 'ESRCH') return true;
      throw error;
    }
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline) {
      if (processStart(pid) !== start) return true;
      await sleep(20);
    }
  }
  return processStart(pid) !== start;
}
