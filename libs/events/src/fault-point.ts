import { readFileSync, renameSync } from 'node:fs';

/**
 * The named places of this lib at which a process may die: before and after each commit and publish.
 * Services append their own names to it, so that one test can walk the whole catalogue.
 */
export const faultPoints: string[] = ['outbox.claimed', 'outbox.published', 'consumer.committed'];

const armed = process.env.NODE_ENV === 'test' ? process.env.FAULT_FILE : undefined;
const passed = new Map<string, number>();

/**
 * Marks a place at which the process may die. Does nothing unless `NODE_ENV=test` and `FAULT_FILE` names a file that
 * holds `<name>` or `<name>:<nth>`: then the nth passing (from 1, per process) kills the process with SIGKILL.
 * The file is renamed to `<file>.fired` first: exactly one process dies of it, and a fault that never fired is seen.
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
