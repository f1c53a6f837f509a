import { randomBytes } from 'node:crypto';
import { sql } from '@switchyard/database/sql';
import { isAppError, notFound, unavailable } from '@switchyard/errors';
import { metrics } from '@switchyard/telemetry';
import { eventually } from '@switchyard/testkit';
import {
  appendToOutbox,
  type Consumer,
  type ConsumerOptions,
  deadLetterTopic,
  type EventBus,
  type EventDefinition,
  type EventMeta,
  type Relay,
  replayDeadLetters,
  startConsumer,
  startRelay,
  subscription,
} from '../src';
import { amounts, type Counted, countedEvent, openService, type Service } from './fixture';

/** Events of a type that were parked so far. */
async function deadOf(type: string): Promise<number> {
  const { values } = (await metrics.getSingleMetric('switchyard_events_consumed_total')?.get()) ?? { values: [] };
  return values.find(({ labels }) => labels.type === type && labels.outcome === 'dead')?.value ?? 0;
}

/** The way of an event from one service's outbox to another's database, over any bus. */
export function consumerContract(name: string, open: () => Promise<EventBus> | EventBus): void {
  describe(`outbox to effect over ${name}`, () => {
    let publisher: Service;
    let reader: Service;
    let bus: EventBus;
    let relay: Relay;
    const consumers: Consumer[] = [];

    beforeAll(async () => {
      publisher = await openService();
      reader = await openService();
      bus = await open();
      relay = startRelay({ db: publisher.db, bus });
    });

    beforeEach(() => reader.db.query(sql`truncate effects`));

    afterEach(async () => {
      await Promise.all(consumers.splice(0).map((consumer) => consumer.close()));
    });

    afterAll(async () => {
      await relay?.close();
      await bus?.close();
      await publisher?.close();
      await reader?.close();
    });

    const send = (
      event: EventDefinition<Counted>,
      amount: number,
      id = `${event.topic}:${event.type}:${amount}`,
      account = 'a',
    ) => publisher.db.transaction((tx) => appendToOutbox(tx, event, { account, amount }, { id }));

    const consume = async (
      event: EventDefinition<Counted>,
      before: (payload: Counted, meta: EventMeta) => void = () => undefined,
      more: Partial<ConsumerOptions> = {},
    ) => {
      const group = more.group ?? `reader-${randomBytes(3).toString('hex')}`;
      const consumer = await startConsumer({
        bus,
        db: reader.db,
        group,
        subscriptions: [
          subscription({
            event,
            async handle(payload, tx, meta) {
              await tx.query(sql`insert into effects (account, amount) values (${payload.account}, ${payload.amount})`);
              before(payload, meta);
            },
          }),
        ],
        ...more,
      });
      consumers.push(consumer);
      return group;
    };

    /** A group whose effect waits for `before`. */
    const consumeAfter = (event: EventDefinition<Counted>, before: (payload: Counted) => Promise<void>) =>
      consume(event, undefined, {
        subscriptions: [
          subscription({
            event,
            before,
            async handle({ account, amount }, tx) {
              await tx.query(sql`insert into effects (account, amount) values (${account}, ${amount})`);
            },
          }),
        ],
      });

    test('an event has its effect once, also when it is published again', async () => {
      const event = countedEvent();
      await consume(event);
      for (const amount of [1, 2, 3]) await send(event, amount);
      await eventually(async () => expect(await amounts(reader.db)).toEqual([1, 2, 3]), { within: 30_000 });
      await publisher.db.query(sql`update events.outbox set published_at = null where topic = ${event.topic}`);
      await send(event, 4);
      await eventually(async () => expect(await amounts(reader.db)).toEqual([1, 2, 3, 4]), { within: 30_000 });
    });

    test('an event that does not concern a group has no effect there and leaves no row of its inbox', async () => {
      const event = countedEvent();
      const group = await consume(event, undefined, {
        group: `reader-${randomBytes(3).toString('hex')}`,
        subscriptions: [
          subscription({
            event,
            concerns: ({ amount }) => amount > 1,
            before: async ({ amount }) => expect(amount).toBeGreaterThan(1),
            async handle({ account, amount }, tx) {
              await tx.query(sql`insert into effects (account, amount) values (${account}, ${amount})`);
            },
          }),
        ],
      });
      for (const amount of [1, 2]) await send(event, amount);
      await eventually(async () => expect(await amounts(reader.db)).toEqual([2]), { within: 30_000 });
      const taken = await reader.db.query(sql`select event_id as id from events.inbox where consumer_group = ${group}`);
      expect(taken).toEqual([{ id: `${event.topic}:${event.type}:2` }]);
    });

    test('a handler learns what happened, when, and under which id', async () => {
      const event = countedEvent();
      let seen: EventMeta | undefined;
      await consume(event, (_, meta) => {
        seen = meta;
      });
      await send(event, 5, 'the-id', 'the-key');
      await eventually(() => expect(seen).toBeDefined(), { within: 30_000 });
      expect(seen).toEqual({
        id: 'the-id',
        type: event.type,
        topic: event.topic,
        key: 'the-key',
        time: expect.any(Date),
        body: expect.stringMatching(/^\{.*\}$/),
        attempt: 1,
      });
    });

    test('what an effect needs is waited for before its transaction, and the first delivery does', async () => {
      const event = countedEvent();
      const deliveries: number[] = [];
      let ready = false;
      let waiting: () => void = () => undefined;
      const waits = new Promise<void>((settle) => {
        waiting = settle;
      });
      await consumeAfter(event, async ({ amount }) => {
        deliveries.push(amount);
        waiting();
        while (!ready) await new Promise((settle) => setTimeout(settle, 5));
      });
      await send(event, 1);
      await waits;
      const open = await reader.db.query(sql`
        select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`);
      expect(open).toEqual([]);
      ready = true;
      await eventually(async () => expect(await amounts(reader.db)).toEqual([1]), { within: 30_000 });
      expect(deliveries).toEqual([1]);
    });

    test('a failure before the transaction is one of the effect', async () => {
      const event = countedEvent();
      let failures = 2;
      await consumeAfter(event, async () => {
        failures -= 1;
        if (failures >= 0) throw unavailable('not there yet');
      });
      await send(event, 1);
      await eventually(async () => expect(await amounts(reader.db)).toEqual([1]), { within: 30_000 });
      expect(failures).toBe(-1);
    });

    test('no more are handled at a time than a group wants, and all of them are', async () => {
      const event = countedEvent();
      let running = 0;
      let most = 0;
      const amountsSent = Array.from({ length: 12 }, (_, at) => at);
      const consumer = await startConsumer({
        bus,
        db: reader.db,
        group: `narrow-${randomBytes(3).toString('hex')}`,
        concurrency: 2,
        subscriptions: [
          subscription({
            event,
            async handle({ account, amount }, tx) {
              running += 1;
              most = Math.max(most, running);
              await tx.query(sql`insert into effects (account, amount) values (${account}, ${amount})`);
              await tx.query(sql`select pg_sleep(0.01)`);
              running -= 1;
            },
          }),
        ],
      });
      consumers.push(consumer);
      for (const amount of amountsSent) await send(event, amount, undefined, `account-${amount}`);
      await eventually(async () => expect((await amounts(reader.db)).sort((a, b) => a - b)).toEqual(amountsSent), {
        within: 30_000,
      });
      expect(most).toBeLessThanOrEqual(2);
    });

    test('types of a stream without a subscription are skipped', async () => {
      const wanted = countedEvent('account.counted');
      const other = countedEvent('account.closed', wanted.stream);
      await consume(wanted);
      await send(other, 1);
      await send(wanted, 2);
      await eventually(async () => expect(await amounts(reader.db)).toEqual([2]), { within: 30_000 });
    });

    test('a passing failure is retried until it has passed, in order and without a second effect', async () => {
      const event = countedEvent();
      let failures = 7;
      await consume(event, ({ amount }) => {
        if (amount === 1 && failures > 0) {
          failures -= 1;
          throw unavailable();
        }
      });
      await send(event, 1);
      await send(event, 2);
      await eventually(async () => expect(await amounts(reader.db)).toEqual([1, 2]), { within: 40_000 });
      expect(failures).toBe(0);
    });

    test('a poisonous event is tried a few times, parked with its reason, and holds up nothing; replaying gives it back', async () => {
      const event = countedEvent();
      let poisonous = true;
      let attempts = 0;
      const group = await consume(
        event,
        ({ amount }) => {
          if (amount !== 2 || !poisonous) return;
          attempts += 1;
          throw notFound('Account');
        },
        { tries: 3 },
      );
      for (const amount of [1, 2, 3]) await send(event, amount);
      await eventually(async () => expect(await amounts(reader.db)).toEqual([1, 3]), { within: 30_000 });
      expect(attempts).toBe(3);

      const parked: Record<string, string>[] = [];
      await bus.drain({
        group: `${group}.inspect`,
        topic: deadLetterTopic(event.topic, group),
        handler: async ({ headers }) => void parked.push(headers),
      });
      expect(parked).toEqual([
        expect.objectContaining({
          id: `${event.topic}:${event.type}:2`,
          'dead-reason': expect.stringContaining('404 Account Not Found'),
        }),
      ]);

      expect(await replayDeadLetters({ bus, group, topic: event.topic })).toBe(1);
      await eventually(() => expect(attempts).toBe(6), { within: 30_000 });
      poisonous = false;
      await eventually(async () => expect(await replayDeadLetters({ bus, group, topic: event.topic })).toBe(1), {
        within: 30_000,
      });
      await eventually(async () => expect(await amounts(reader.db)).toEqual([1, 3, 2]), { within: 30_000 });
      expect(await replayDeadLetters({ bus, group, topic: event.topic })).toBe(0);
    });

    test('a body that cannot be read is parked at once, what the database refuses after a few tries; both are counted', async () => {
      const event = countedEvent();
      const deadBefore = await deadOf(event.type);
      const group = await consume(event, undefined, { tries: 2 });
      await bus.publish([
        {
          topic: event.topic,
          key: 'a',
          body: 'no json',
          headers: { id: 'broken', type: event.type, version: '1', time: new Date().toISOString() },
        },
      ]);
      await send(event, 2 ** 31);
      await send(event, 1);
      await eventually(async () => expect(await amounts(reader.db)).toEqual([1]), { within: 30_000 });
      const reasons: (string | undefined)[] = [];
      await bus.drain({
        group: `${group}.inspect`,
        topic: deadLetterTopic(event.topic, group),
        handler: async ({ headers }) => void reasons.push(headers['dead-reason']),
      });
      expect(reasons).toEqual([expect.stringContaining('SyntaxError'), expect.stringContaining('out of range')]);
      expect(await deadOf(event.type)).toBe(deadBefore + 2);
      await eventually(async () => expect(await bus.lag({ group, topics: [event.topic] })).toBe(0));
    });

    test('when the database of the reader drops every connection, no event is lost or doubled', async () => {
      const event = countedEvent();
      await consume(event);
      for (let n = 1; n <= 60; n += 1) {
        await send(event, n);
        if (n % 20 === 0) {
          await reader.db
            .query(
              sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
            )
            .catch((error) => expect(isAppError(error, 'unavailable')).toBe(true));
        }
      }
      await eventually(
        async () => expect(await amounts(reader.db)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1)),
        { within: 30_000 },
      );
    });
  });
}
