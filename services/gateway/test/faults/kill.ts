import { eventually } from '@switchyard/testkit';
import { running } from '../e2e/support/running';
import type { System } from '../e2e/support/system';

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
