import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { logMigrations, outboxBacklog } from '../src';
import { amounts, openService, type Service } from './fixture';

const events = 5;

let service: Service;
let log: TestDatabase;
let folder: string;

beforeEach(async () => {
  service = await openService();
  log = await testDatabase({ sets: [logMigrations] });
  folder = mkdtempSync(join(tmpdir(), 'switchyard-faults-'));
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  await service.close();
  await log.close();
});

function start(count: number) {
  const child = spawn(
    process.execPath,
    [
      '--require',
      join(__dirname, '../../testkit/jest/register-ts.cjs'),
      join(__dirname, 'fault-process.ts'),
      service.home.url,
      log.url,
      String(count),
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, NODE_ENV: 'test', FAULT_FILE: join(folder, 'fault') },
    },
  );
  const exited = new Promise<NodeJS.Signals | null>((settle) => child.once('exit', (_, signal) => settle(signal)));
  return { exited, kill: () => child.kill('SIGKILL') };
}

test.each(['outbox.claimed', 'outbox.published', 'consumer.committed', 'consumer.committed:3'])(
  'a process killed at %s and started again gives every event one effect, in order',
  async (fault) => {
    writeFileSync(join(folder, 'fault'), fault);
    const killed = start(events);
    expect(await killed.exited).toBe('SIGKILL');
    expect(existsSync(join(folder, 'fault.fired'))).toBe(true);
    // The same process again appends the same ids: they are the same events.
    const second = start(events);
    await eventually(async () => expect(await amounts(service.db)).toEqual([1, 2, 3, 4, 5]), { within: 20_000 });
    await eventually(async () => expect(await outboxBacklog(service.db)).toBe(0));
    second.kill();
    await second.exited;
  },
);

test('a fault of another name does not fire', async () => {
  writeFileSync(join(folder, 'fault'), 'somewhere.else');
  const running = start(1);
  await eventually(async () => expect(await amounts(service.db)).toEqual([1]), { within: 20_000 });
  expect(existsSync(join(folder, 'fault.fired'))).toBe(false);
  running.kill();
  await running.exited;
});
