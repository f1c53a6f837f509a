import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, freePort } from '@switchyard/testkit';
import { makeFixture, makeReviewer, type TestUser } from '../e2e/support/fixture';
import { expectSettled, expectSoundRepository } from '../e2e/support/oracles';
import { processes } from '../e2e/support/processes';
import { random, seedOfRun } from '../e2e/support/random';
import { running } from '../e2e/support/running';
import { type System, startSystem } from '../e2e/support/system';
import { makeTrainHarness, type Proposal } from '../e2e/support/train-harness';
import { kill } from './kill';

jest.setTimeout(1_800_000);

const root = resolve(__dirname, '../../../..');
const rounds = Number(process.env.FAULT_ROUNDS ?? 10);
const seed = seedOfRun();
/** Cars of each train: every third one fails. */
const cars = 9;

describe(`processes are killed while trains run, FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}`, () => {
  let system: System;
  let reviewer: TestUser;
  let folder: string;
  let second: ChildProcess | undefined;

  beforeAll(async () => {
    process.stdout.write(`FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}\n`);
    folder = mkdtempSync(join(tmpdir(), 'switchyard-train-kills-'));
    system = await startSystem({ SWITCHYARD_MAX_DEATHS: '1000' });
    reviewer = await makeReviewer(system);
  });
  afterEach(() => {
    second?.kill('SIGKILL');
    second = undefined;
  });
  afterAll(async () => {
    await system?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A second merge-requests process with the environment of the first: on its database and its volume. */
  async function startSecond(): Promise<void> {
    const environment = readFileSync(`/proc/${running(system, 'merge-requests')}/environ`, 'utf8')
      .split('\0')
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
    const httpPort = await freePort();
    second = spawn(process.execPath, [join(root, 'services/merge-requests/dist/main.js')], {
      cwd: root,
      stdio: 'ignore',
      env: {
        ...Object.fromEntries(environment),
        GRPC_PORT: String(await freePort()),
        HTTP_PORT: String(httpPort),
      },
    });
    await eventually(async () => expect((await fetch(`http://127.0.0.1:${httpPort}/-/readiness`)).status).toBe(200), {
      within: 30_000,
      every: 100,
    });
  }

  /** A train of its own runs while `faults` happens; then looks whether everything holds. */
  async function underTrain(name: string, faults: () => Promise<void>): Promise<void> {
    const fixture = await makeFixture(system, reviewer, name, folder);
    const harness = await makeTrainHarness(fixture);
    const all: Proposal[] = [];
    for (let number = 1; number <= cars; number += 1) all.push(await harness.propose(`${name}-${number}`));
    const fails = ({ iid }: { iid: number }) => iid % 3 === 0;
    const [left, landed] = [all.filter(fails), all.filter((one) => !fails(one))];
    const ride = async () => {
      for (const one of all) {
        await harness.addToTrain(one);
        await pause(100);
      }
    };
    const adding = ride();
    const striking = faults();
    await Promise.all([
      adding,
      striking,
      // A car that was not added yet is neither: the CI goes on until the last one has.
      adding.then(() =>
        harness.runCi(
          async () => {
            await harness.expectLanded(...landed);
            await harness.expectLeft(...left);
          },
          (iid) => fails({ iid }),
        ),
      ),
    ]);
    await expectSettled(system);
    await harness.expectSound(left);
    await expectSoundRepository(fixture);
  }

  it.each(processes.map((name, at) => [name, at] as const))('%s', async (name, at) => {
    const chance = random(seed + at);
    await underTrain(`train-${name}`, async () => {
      let last: number | undefined;
      for (let round = 0; round < rounds; round += 1) {
        await pause(chance.between(50, 1_500));
        last = await kill(system, name, last);
      }
    });
  });

  it('two merge-requests processes work on one volume, and now this one dies, now that', async () => {
    const chance = random(seed + processes.length);
    await startSecond();
    await underTrain('train-two', async () => {
      let last: number | undefined;
      for (let round = 0; round < rounds; round += 1) {
        await pause(chance.between(50, 1_500));
        if (chance.between(0, 1) === 0) last = await kill(system, 'merge-requests', last);
        else {
          second?.kill('SIGKILL');
          // The environment is that of the first, which may be on its way up again.
          await eventually(startSecond, { within: 60_000, every: 200 });
        }
      }
    });
  });
});
