import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { endProcess, processStart } from './processes.mjs';

const SIGNALS = [
  // PostgreSQL takes SIGINT as a fast shutdown; SIGTERM would wait for its clients.
  { signal: 'SIGINT', waitMs: 2_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
];

/**
 * Ends every process that names `folder` in its environment or its command line, except this one.
 *
 * @param {string} folder a path no other run uses
 * @returns {Promise<string[]>} the command lines
 */
export async function endProcessesOf(folder) {
  const found = processesNaming(folder).map((one) => ({ ...one, start: processStart(one.pid) }));
  const alive = found.filter(({ start }) => start !== undefined);
  await Promise.all(alive.map(({ pid, start }) => endProcess(pid, start, SIGNALS)));
  return alive.map(({ command }) => command);
}

function processesNaming(folder) {
  if (process.platform !== 'linux') {
    const listing = execFileSync('ps', ['-axEww', '-o', 'pid=,command='], { encoding: 'utf8', stdio: 'pipe' });
    return listing
      .split('\n')
      .filter((line) => line.includes(folder))
      .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().slice(0, 120) }))
      .filter(({ pid }) => pid !== process.pid);
  }
  const read = (file) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      // Gone, or another user's.
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => ({
      pid: Number(pid),
      command: read(`/proc/${pid}/cmdline`),
      environment: read(`/proc/${pid}/environ`),
    }))
    .filter(({ command, environment }) => command.includes(folder) || environment.includes(folder))
    .map(({ pid, command }) => ({ pid, command: command.split('\0').join(' ').slice(0, 120) }));
}
