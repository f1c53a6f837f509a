import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { embeddedLog, logMigrations, startConsumer, subscription } from '../src';
import { consumerContract } from './consumer-contract';
import { countedEvent, openService } from './fixture';

let log: TestDatabase;

beforeAll(async () => {
  log = await testDatabase({ sets: [logMigrations] });
});

afterAll(() => log.close());

consumerContract('the embedded log', () => embeddedLog({ url: log.url }));

test('two subscriptions of a group to one event are refused', async () => {
  const service = await openService();
  const bus = embeddedLog({ url: log.url });
  const event = countedEvent();
  const twice = [1, 2].map(() => subscription({ event, handle: async () => undefined }));
  await expect(startConsumer({ bus, db: service.db, group: 'g', subscriptions: twice })).rejects.toThrow(
    /two subscriptions/,
  );
  await bus.close();
  await service.close();
});
