import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import type { System } from '../e2e/support/system';

/** The process of a service that runs now; undefined while there is none. */
export function running(system: System, name: string): number | undefined {
  const recorded: { name: string; pid: number }[] = JSON.parse(
    readFileSync(join(system.data, 'processes.json'), 'utf8'),
  );
  return recorded.find((one) => one.name === name)?.pid;
}

/**
 * Kills a process, or the launcher, which is then started again.
 * @param before the one that was killed last: waits until another has taken its place
 */
export async function kill(system: System, name: string, before: number | undefined): Promise<number | undefined> {
  if (name === 'launcher') {
    await system.kill();
    await system.start();
    return undefined;
  }
  const pid = await eventually(
    () => {
      const found = running(system, name);
      if (found === undefined || found === before) throw new Error(`${name} has not come back`);
      return found;
    },
    { within: 30_000, every: 50 },
  );
  process.kill(pid, 'SIGKILL');
  return pid;
}
