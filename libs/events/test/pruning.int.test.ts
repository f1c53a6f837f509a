import { openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually, testDatabase } from '@switchyard/testkit';
import { embeddedLog, logMigrations, startConsumer, subscription } from '../src';
import { amounts, countedEvent, openService } from './fixture';

const day = 86_400_000;

test('the log drops what is old and received by every known group, and keeps dead letters longer', async () => {
  const home = await testDatabase({ sets: [logMigrations] });
  const db = openDatabase({ url: home.url, applicationName: 'test' });
  const bus = embeddedLog({ url: home.url, retention: 7 * day, pruneEvery: 50 });
  const publish = (topic: string, ...bodies: string[]) =>
    bus.publish(bodies.map((body) => ({ topic, key: 'k', body, headers: { id: body } })));
  const ages = async (topic: string, bodies: string[], age: string) => {
    await db.query(sql`
      update log.records set created_at = now() - ${age}::interval where topic = ${topic} and body = any(${bodies}::text[])`);
  };
  const left = async (topic: string) =>
    (await db.query<{ body: string }>(sql`select body from log.records where topic = ${topic} order by "offset"`)).map(
      (row) => row.body,
    );

  const received: string[] = [];
  const reading = await bus.subscribe({
    group: 'prompt',
    topics: ['t'],
    handler: async ({ body }) => void received.push(body),
  });
  const slow = await bus.subscribe({
    group: 'slow',
    topics: ['t'],
    handler: async ({ body }) => {
      if (body === 'c') throw new Error('not yet');
    },
  });
  await publish('t', 'a', 'b', 'c', 'd');
  await publish('t.g.dead-letter', 'parked', 'ancient');
  await eventually(() => expect(received).toEqual(['a', 'b', 'c', 'd']));
  await eventually(async () =>
    expect(
      await db.query(sql`select max(next_offset)::int as next from log.group_offsets where consumer_group = 'slow'`),
    ).toEqual([{ next: 2 }]),
  );
  await ages('t', ['b', 'c', 'd'], '8 days');
  await ages('t.g.dead-letter', ['parked'], '8 days');
  await ages('t.g.dead-letter', ['ancient'], '29 days');
  await eventually(async () => expect(await left('t')).toEqual(['a', 'c', 'd']));
  await eventually(async () => expect(await left('t.g.dead-letter')).toEqual(['parked']));

  // What is gone leaves no hole a reader could stumble over.
  const late: string[] = [];
  await bus.subscribe({ group: 'late', topics: ['t'], handler: async ({ body }) => void late.push(body) });
  await publish('t', 'e');
  await eventually(() => expect(late).toEqual(['a', 'c', 'd', 'e']));
  await Promise.all([reading.close(), slow.close()]);
  await bus.close();
  await db.close();
  await home.close();
});

test('the inbox forgets what it received long ago', async () => {
  const service = await openService();
  const home = await testDatabase({ sets: [logMigrations] });
  const bus = embeddedLog({ url: home.url });
  const event = countedEvent();
  const consumer = await startConsumer({
    bus,
    db: service.db,
    group: 'g',
    pruneEvery: 50,
    subscriptions: [
      subscription({
        event,
        handle: async ({ amount }, tx) =>
          void (await tx.query(sql`insert into effects (account, amount) values ('a', ${amount})`)),
      }),
    ],
  });
  await bus.publish(
    ['1', '2'].map((id) => ({
      topic: event.topic,
      key: 'a',
      body: `{"amount":${id}}`,
      headers: { id, type: event.type, time: new Date().toISOString() },
    })),
  );
  await eventually(async () => expect(await amounts(service.db)).toEqual([1, 2]));
  await service.db.query(sql`update events.inbox set received_at = now() - interval '15 days' where event_id = '1'`);
  await eventually(async () =>
    expect(await service.db.query(sql`select event_id from events.inbox`)).toEqual([{ event_id: '2' }]),
  );
  await consumer.close();
  await bus.close();
  await home.close();
  await service.close();
});
