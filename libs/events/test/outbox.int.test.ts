import { openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { appendAllToOutbox, appendToOutbox, type BusRecord, type EventBus, outboxBacklog, startRelay } from '../src';
import { countedEvent, openService, type Service } from './fixture';

/** A bus that remembers what was published, and can be away. */
function recordingBus() {
  const published: BusRecord[] = [];
  const state = { away: false, calls: 0 };
  const bus: EventBus = {
    check: async () => undefined,
    async publish(records) {
      state.calls += 1;
      if (state.away) throw new Error('away');
      published.push(...records);
    },
    subscribe: async () => ({ close: async () => undefined }),
    drain: async () => 0,
    lag: async () => 0,
    close: async () => undefined,
  };
  return { bus, published, state };
}

const valuesOf = (published: BusRecord[]) => published.map(({ body }) => JSON.parse(body).amount as number);

const event = countedEvent();
let service: Service;

beforeEach(async () => {
  service = await openService();
});

afterEach(async () => {
  await service.close();
});

const append = (amount: number, account = 'a') =>
  service.db.transaction((tx) =>
    appendToOutbox(tx, event, { account, amount }, { id: `${event.topic}:${account}:${amount}` }),
  );

test('what commits is published in order with its headers, what rolls back is not', async () => {
  const { bus, published } = recordingBus();
  const relay = startRelay({ db: service.db, bus });
  await append(1);
  await expect(
    service.db.transaction(async (tx) => {
      await appendToOutbox(tx, event, { account: 'a', amount: 2 }, { id: 'rolled-back' });
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await append(3);
  await eventually(() => expect(valuesOf(published)).toEqual([1, 3]));
  expect(published[0]).toEqual({
    topic: event.topic,
    key: 'a',
    body: '{"account":"a","amount":1}',
    headers: {
      id: `${event.topic}:a:1`,
      type: 'account.counted',
      version: '1',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    },
  });
  await eventually(async () => expect(await outboxBacklog(service.db)).toBe(0));
  await relay.close();
});

test('the same id is the same event, and is published once', async () => {
  const { bus, published } = recordingBus();
  const relay = startRelay({ db: service.db, bus });
  await append(1);
  await append(1);
  await service.db.transaction((tx) =>
    appendAllToOutbox(tx, event, [
      { payload: { account: 'a', amount: 1 }, id: `${event.topic}:a:1` },
      { payload: { account: 'a', amount: 2 }, id: `${event.topic}:a:2` },
    ]),
  );
  await eventually(() => expect(valuesOf(published)).toEqual([1, 2]));
  await relay.close();
});

test('an event that commits later than one with a higher id is not lost', async () => {
  const { bus, published } = recordingBus();
  const relay = startRelay({ db: service.db, bus, pollInterval: 20 });
  let commit: () => void = () => undefined;
  const held = new Promise<void>((settle) => {
    commit = settle;
  });
  let appended: () => void = () => undefined;
  const isAppended = new Promise<void>((settle) => {
    appended = settle;
  });
  const slow = service.db.transaction(async (tx) => {
    await appendToOutbox(tx, event, { account: 'slow', amount: 1 }, { id: 'slow' });
    appended();
    await held;
  });
  await isAppended;
  await append(2, 'fast');
  await eventually(() => expect(valuesOf(published)).toEqual([2]));
  commit();
  await slow;
  await eventually(() => expect(valuesOf(published)).toEqual([2, 1]));
  await relay.close();
});

test('a bus that is away costs no write and no event, and the order is kept', async () => {
  const { bus, published, state } = recordingBus();
  state.away = true;
  const relay = startRelay({ db: service.db, bus, pollInterval: 10 });
  await eventually(() => expect(relay.active).toBe(true));
  for (let n = 1; n <= 30; n += 1) await append(n);
  await eventually(() => expect(state.calls).toBeGreaterThan(1));
  expect(await outboxBacklog(service.db)).toBe(30);
  state.away = false;
  await eventually(() => expect(valuesOf(published)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1)));
  await relay.close();
});

test('of two relays one publishes; the other takes over when it ends', async () => {
  const { bus, published } = recordingBus();
  const first = startRelay({ db: service.db, bus, pollInterval: 10 });
  await eventually(() => expect(first.active).toBe(true));
  const second = startRelay({ db: service.db, bus, pollInterval: 10 });
  for (let n = 1; n <= 20; n += 1) await append(n);
  await eventually(() => expect(published).toHaveLength(20));
  expect(second.active).toBe(false);
  await first.close();
  await append(21);
  await eventually(() => expect(valuesOf(published)).toEqual(Array.from({ length: 21 }, (_, n) => n + 1)));
  expect(second.active).toBe(true);
  await second.close();
});

test('an event that another process commits is published at once, and one of this process', async () => {
  const { bus, published } = recordingBus();
  const other = openDatabase({ url: service.home.url, applicationName: 'other' });
  const relay = startRelay({ db: service.db, bus, pollInterval: 60_000 });
  await eventually(() => expect(relay.active).toBe(true));
  await append(1);
  await eventually(() => expect(valuesOf(published)).toEqual([1]));
  const standby = startRelay({ db: other, bus, pollInterval: 60_000 });
  await other.transaction((tx) => appendToOutbox(tx, event, { account: 'a', amount: 2 }, { id: 'of another process' }));
  await eventually(() => expect(valuesOf(published)).toEqual([1, 2]));
  expect(standby.active).toBe(false);
  await standby.close();
  await relay.close();
  await other.close();
});

test('history that several transactions append is published together', async () => {
  const { bus, published, state } = recordingBus();
  const relay = startRelay({ db: service.db, bus, pollInterval: 60_000 });
  await eventually(() => expect(relay.active).toBe(true));
  for (const amount of [1, 2, 3])
    await service.db.transaction((tx) =>
      appendAllToOutbox(tx, event, [{ payload: { account: 'a', amount }, id: `history:${amount}` }], { history: true }),
    );
  await eventually(() => expect(valuesOf(published)).toEqual([1, 2, 3]));
  expect(state.calls).toBe(1);
  await relay.close();
});

test('a relay whose connection is cut goes on with another one', async () => {
  const { bus, published } = recordingBus();
  const relay = startRelay({ db: service.db, bus, pollInterval: 10 });
  await append(1);
  await eventually(() => expect(valuesOf(published)).toContain(1));
  await service.db.query(
    sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
  );
  await append(2);
  await eventually(() => expect(valuesOf(published)).toContain(2));
  await relay.close();
});

test('published rows are pruned after their time, unpublished ones never', async () => {
  const { bus, published, state } = recordingBus();
  const first = startRelay({ db: service.db, bus, retention: 86_400_000 });
  await append(1);
  await append(2);
  await eventually(async () => expect(await outboxBacklog(service.db)).toBe(0));
  await first.close();
  await service.db.query(
    sql`update events.outbox set published_at = now() - interval '2 days' where body->>'amount' = '1'`,
  );
  state.away = true;
  await append(3);
  await service.db.query(sql`update events.outbox set created_at = now() - interval '2 days'`);
  state.away = false;
  const second = startRelay({ db: service.db, bus, retention: 86_400_000 });
  await eventually(async () =>
    expect(await service.db.query(sql`select body->>'amount' as amount from events.outbox order by id`)).toEqual([
      { amount: '2' },
      { amount: '3' },
    ]),
  );
  expect(valuesOf(published)).toEqual([1, 2, 3]);
  await second.close();
});
