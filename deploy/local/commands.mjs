import { spawn } from 'node:child_process';

const KEPT_OUTPUT = 200_000;

/** A command that ended with a failure; `output` holds the end of what it printed. */
export class CommandFailure extends Error {
  constructor(command, how, output) {
    super(`\`${command}\` ended with ${how}`);
    this.output = output;
  }
}

/**
 * Runs a command to its end and returns what it printed (both streams, the last 200,000 characters).
 *
 * @param {string} file
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal, onOutput?: (text: string) => void }} [options]
 *   `signal` ends the command and everything it started
 * @returns {Promise<string>}
 * @throws {CommandFailure}
 */
export function run(file, args, { cwd, env = process.env, signal, onOutput } = {}) {
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const abort = () => endGroup(child.pid);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    const take = (chunk) => {
      output = (output + chunk).slice(-KEPT_OUTPUT);
      onOutput?.(chunk);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    const command = [file, ...args].join(' ');
    child.once('error', (error) => reject(new CommandFailure(command, error.message, output)));
    child.once('close', (code, endedBy) => {
      signal?.removeEventListener('abort', abort);
      if (code === 0) resolve(output);
      else reject(new CommandFailure(command, endedBy ?? `exit code ${code}`, output));
    });
  });
}

/** Ends a process group: SIGTERM now, SIGKILL after 2 s. */
function endGroup(pid) {
  if (pid === undefined) return;
  const kill = (signal) => {
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  };
  kill('SIGTERM');
  setTimeout(() => kill('SIGKILL'), 2_000).unref();
}
