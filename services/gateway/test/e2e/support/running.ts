import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { System } from './system';

/** The process of a service that runs now; undefined while there is none. */
export function running(system: System, name: string): number | undefined {
  const recorded: { name: string; pid: number }[] = JSON.parse(
    readFileSync(join(system.data, 'processes.json'), 'utf8'),
  );
  return recorded.find((one) => one.name === name)?.pid;
}
