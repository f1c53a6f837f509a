import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { logMigrations } from '../src';
import { faultContract } from './fault-contract';

let log: TestDatabase;

beforeAll(async () => {
  log = await testDatabase({ sets: [logMigrations] });
});

afterAll(() => log.close());

faultContract(
  'the embedded log',
  ['outbox.claimed', 'outbox.published', 'consumer.committed', 'consumer.committed:3'],
  () => ['log', log.url],
);
