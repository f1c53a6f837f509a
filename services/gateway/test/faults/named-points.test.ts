import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@switchyard/testkit';
import {
  alertPoints,
  eventPoints,
  issuePoints,
  issueReferencePoints,
  mergePoints,
  notePoints,
  openingPoints,
  pushPoints,
} from '../e2e/support/fault-points';
import { makeReviewer, type TestUser } from '../e2e/support/fixture';
import { random, seedOfRun } from '../e2e/support/random';
import { type System, startSystem } from '../e2e/support/system';
import { underLoad } from './under-load';

jest.setTimeout(1_800_000);

const rounds = Number(process.env.FAULT_ROUNDS ?? 10);
const seed = seedOfRun();

describe(`processes die at named points under load, FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`, () => {
  let system: System;
  let reviewer: TestUser;
  let folder: string;

  beforeAll(async () => {
    process.stdout.write(`FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}\n`);
    folder = mkdtempSync(join(tmpdir(), 'switchyard-points-'));
    system = await startSystem({ SWITCHYARD_MAX_DEATHS: '1000' });
    reviewer = await makeReviewer(system);
  });
  afterAll(async () => {
    await system?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const points = [
    ...pushPoints,
    ...mergePoints,
    ...eventPoints,
    ...openingPoints,
    ...notePoints,
    ...issuePoints,
    ...issueReferencePoints,
    ...alertPoints,
  ];

  it.each(points.map((point, at) => [point, at] as const))('%s', async (point, at) => {
    const chance = random(seed + at);
    await underLoad({ system, reviewer, folder, name: point.replace('.', '-'), seed: seed + at }, async () => {
      for (let round = 0; round < rounds; round += 1) {
        await pause(chance.between(0, 500));
        system.arm(`${point}:${chance.between(1, 3)}`);
        await eventually(() => expect([point, system.fired()]).toEqual([point, true]), {
          within: 90_000,
          every: 50,
        });
      }
    });
  });
});
