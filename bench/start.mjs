import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processTree, proportionalMemory, roleOf } from './cpu.mjs';
import { root, startInstallation, temporaryFolder } from './installation.mjs';

const warmRounds = 3;
const idleMs = 15_000;
const coldTarget = 180;
const warmTarget = 15;
const memoryTarget = 1_024;

/** From a fresh clone to a running system, the second start, the memory of everything idle, and the stop. */
export async function start(report) {
  const folder = temporaryFolder('start');
  const clone = join(folder.path, 'clone');
  const data = join(folder.path, 'data');
  const begin = () =>
    startInstallation({ data, clone, command: ['npm', 'start', '--silent'], env: { LOG_LEVEL: 'info' } });
  let running;
  try {
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone]);
    const cold = [];
    const warm = [];
    const stops = [];
    const memory = {};
    for (let round = 0; round <= warmRounds; round += 1) {
      running = await begin();
      (round === 0 ? cold : warm).push(running.startMs / 1_000);
      if (round > 0) {
        await sleep(idleMs);
        const used = {};
        for (const pid of processTree(running.launcherPid)) {
          const role = roleOf(pid);
          used[role] = (used[role] ?? 0) + proportionalMemory(pid) / 2 ** 20;
        }
        used.everything = Object.values(used).reduce((sum, one) => sum + one, 0);
        for (const [role, megabytes] of Object.entries(used)) memory[role] = [...(memory[role] ?? []), megabytes];
      }
      stops.push((await running.stop()) / 1_000);
      running = undefined;
    }
    report.figure('start: cold, fresh clone, filled npm cache', cold, { unit: 's', digits: 1, target: coldTarget });
    report.figure('start: second and later', warm, { unit: 's', digits: 1, target: warmTarget });
    report.figure('start: stopping', stops, { unit: 's', digits: 1, target: 10 });
    const { everything, ...parts } = memory;
    report.figure('start: proportional memory of everything, idle', everything, {
      unit: 'MiB',
      digits: 0,
      target: memoryTarget,
    });
    for (const [role, megabytes] of Object.entries(parts))
      report.figure(`    ${role}`, megabytes, { unit: 'MiB', digits: 0 });
  } finally {
    await running?.stop();
    folder.remove();
  }
}
