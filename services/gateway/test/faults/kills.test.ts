import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeReviewer, type TestUser } from '../e2e/support/fixture';
import { processes } from '../e2e/support/processes';
import { random, seedOfRun } from '../e2e/support/random';
import { type System, startSystem } from '../e2e/support/system';
import { kill } from './kill';
import { underLoad } from './under-load';

jest.setTimeout(1_800_000);

const rounds = Number(process.env.FAULT_ROUNDS ?? 20);
const seed = seedOfRun();

describe(`processes are killed at any time under load, FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`, () => {
  let system: System;
  let reviewer: TestUser;
  let folder: string;

  beforeAll(async () => {
    process.stdout.write(`FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}\n`);
    folder = mkdtempSync(join(tmpdir(), 'switchyard-kills-'));
    system = await startSystem({ SWITCHYARD_MAX_DEATHS: '1000' });
    reviewer = await makeReviewer(system);
  });
  afterAll(async () => {
    await system?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(processes.map((name, at) => [name, at] as const))('%s', async (name, at) => {
    const chance = random(seed + at);
    await underLoad({ system, reviewer, folder, name: `kill-${name}`, seed: seed + at }, async () => {
      let last: number | undefined;
      for (let round = 0; round < rounds; round += 1) {
        await pause(chance.between(50, 3_000));
        last = await kill(system, name, last);
      }
    });
  });
});
