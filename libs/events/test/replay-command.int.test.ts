import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { deadLetterTopic, embeddedLog, logMigrations, retryTopic } from '../src';

const run = promisify(execFile);
let log: TestDatabase;

beforeAll(async () => {
  log = await testDatabase({ sets: [logMigrations] });
});

afterAll(() => log.close());

const command = (...args: string[]) => {
  const { KAFKA_BROKERS: _, ...rest } = process.env;
  return run(
    process.execPath,
    [
      '--require',
      join(__dirname, '../../testkit/jest/register-ts.cjs'),
      join(__dirname, '../src/replay-command.ts'),
      ...args,
    ],
    { env: { ...rest, LOG_DATABASE_URL: log.url } },
  );
};

test('the command gives parked events back to their group as they first came, once', async () => {
  const bus = embeddedLog({ url: log.url });
  const headers = { id: 'e1', type: 't', version: '1', time: '2026-01-01T00:00:00.000Z' };
  await bus.publish([
    {
      topic: deadLetterTopic('things.v1', 'reader'),
      key: 'k',
      body: '{}',
      headers: { ...headers, 'dead-reason': 'Error: no', 'dead-time': 'x' },
    },
  ]);
  const args = ['--group', 'reader', '--topic', 'things.v1'];
  expect((await command(...args)).stdout).toBe('1 given back\n');
  expect((await command(...args)).stdout).toBe('0 given back\n');
  const given: Record<string, string>[] = [];
  await bus.drain({
    group: 'inspect',
    topic: retryTopic('things.v1', 'reader'),
    handler: async (record) => void given.push(record.headers),
  });
  expect(given).toEqual([headers]);
  await bus.close();
});

test('without a group it says how it is called', async () => {
  await expect(command('--topic', 'things.v1')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^usage: /),
  });
});
