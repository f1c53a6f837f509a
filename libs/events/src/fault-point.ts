import { readFileSync, renameSync } from 'node:fs';

/**
 * Names of the points of this lib at which tests kill a process: before and after each commit and publish.
 * Services append their own names, so that one test can cover all.
 */
export const faultPoints: string[] = ['outbox.claimed', 'outbox.published', 'consumer.committed'];

const armed = process.env.NODE_ENV === 'test' ? process.env.FAULT_FILE : undefined;
const passed = new Map<string, number>();

/**
 * Marks a point at which a test may kill the process. Does nothing unless `NODE_ENV=test` and `FAULT_FILE` names a file
 * that contains `<name>` or `<name>:<nth>`: then the nth passing (from 1, per process) kills the process with SIGKILL.
 * The file is renamed to `<file>.fired` first: exactly one process is killed, and a test sees faults that never fired.
 */
export function faultPoint(name: string): void {
  if (armed === undefined) return;
  const [wanted, nth = '1'] = readArmed(armed).split(':');
  if (wanted !== name) return;
  const times = (passed.get(name) ?? 0) + 1;
  passed.set(name, times);
  if (times < Number(nth)) return;
  try {
    renameSync(armed, `${armed}.fired`);
  } catch {
    return;
  }
  process.kill(process.pid, 'SIGKILL');
}

function readArmed(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
