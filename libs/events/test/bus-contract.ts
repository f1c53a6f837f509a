import { randomBytes } from 'node:crypto';
import { eventually } from '@switchyard/testkit';
import type { BusRecord, EventBus, ReceivedRecord } from '../src';

/** What a bus adapter is tried with. */
export interface BusUnderTest {
  /** A connection of its own, as another process would have it. */
  open(): Promise<EventBus>;
  /** Makes the bus unreachable for every connection. */
  stop(): Promise<void>;
  /** Makes it reachable again, with what it had stored. */
  start(): Promise<void>;
}

const unique = (name: string): string => `${name}-${randomBytes(4).toString('hex')}`;

const record = (topic: string, key: string, value: unknown, headers: Record<string, string> = {}): BusRecord => ({
  topic,
  key,
  body: JSON.stringify(value),
  headers: { id: `${topic}:${key}`, type: 'thing.happened', version: '1', ...headers },
});

const valuesOf = (records: ReceivedRecord[]): unknown[] => records.map(({ body }) => JSON.parse(body));

/** The promises of `EventBus`, kept by every adapter. */
export function busContract(name: string, given: () => BusUnderTest | Promise<BusUnderTest>): void {
  describe(`the event bus: ${name}`, () => {
    let bus: BusUnderTest;
    let publisher: EventBus;
    const opened: EventBus[] = [];

    const open = async (): Promise<EventBus> => {
      const one = await bus.open();
      opened.push(one);
      return one;
    };

    beforeAll(async () => {
      bus = await given();
      publisher = await bus.open();
    });

    afterEach(async () => {
      await Promise.all(opened.splice(0).map((one) => one.close()));
    });

    afterAll(async () => {
      await publisher?.close();
    });

    test('the lag of a group is what it has yet to receive', async () => {
      const topic = unique('lag');
      const group = unique('group');
      await publisher.publish([record(topic, 'a', 1), record(topic, 'b', 2), record(topic, 'c', 3)]);
      // A broker that has just started does not know at once which of it looks after the groups.
      const waiting = await eventually(() => publisher.lag({ group, topics: [topic, unique('unknown')] }), {
        within: 30_000,
      });
      expect(waiting).toBe(3);
      expect(await publisher.drain({ group, topic, handler: async () => undefined })).toBe(3);
      expect(await publisher.lag({ group, topics: [topic] })).toBe(0);
      await publisher.publish([record(topic, 'a', 4)]);
      expect(await publisher.lag({ group, topics: [topic] })).toBe(1);
    });

    test('records of one key arrive in the order in which they were published, also with concurrent publishers', async () => {
      const topic = unique('order');
      const received: ReceivedRecord[] = [];
      const keys = ['a', 'b', 'c', 'd', 'e'];
      const publish = async (key: string) => {
        const own = await open();
        for (let n = 0; n < 20; n += 1) await own.publish([record(topic, key, n * 2), record(topic, key, n * 2 + 1)]);
      };
      const reader = await open();
      await reader.subscribe({ group: unique('g'), topics: [topic], handler: async (one) => void received.push(one) });
      await Promise.all(keys.map(publish));
      await eventually(() => expect(received).toHaveLength(200), { within: 30_000 });
      for (const key of keys) {
        expect(valuesOf(received.filter((one) => one.key === key))).toEqual(Array.from({ length: 40 }, (_, n) => n));
      }
    });

    test('key, body and headers arrive as they were given', async () => {
      const topic = unique('headers');
      const received: ReceivedRecord[] = [];
      const sent = record(
        topic,
        'ключ/🚂',
        { text: 'naïve "quoted" \\ \u0001 🚃', list: [1, null] },
        {
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
          note: 'größer',
        },
      );
      await (await open()).subscribe({
        group: unique('g'),
        topics: [topic],
        handler: async (one) => void received.push(one),
      });
      await publisher.publish([sent]);
      await eventually(() => expect(received).toHaveLength(1), { within: 30_000 });
      expect(received[0]).toMatchObject({ topic, key: sent.key, body: sent.body, headers: sent.headers });
      expect(received[0]?.offset).toMatch(/^\d+$/);
    });

    test('each group receives every record, also one that starts later', async () => {
      const topic = unique('groups');
      const first: ReceivedRecord[] = [];
      const second: ReceivedRecord[] = [];
      const reader = await open();
      await reader.subscribe({ group: unique('first'), topics: [topic], handler: async (one) => void first.push(one) });
      await publisher.publish([1, 2, 3].map((n) => record(topic, 'k', n)));
      await eventually(() => expect(valuesOf(first)).toEqual([1, 2, 3]), { within: 30_000 });
      await reader.subscribe({
        group: unique('second'),
        topics: [topic],
        handler: async (one) => void second.push(one),
      });
      await eventually(() => expect(valuesOf(second)).toEqual([1, 2, 3]), { within: 30_000 });
      expect(first).toHaveLength(3);
    });

    test('a record whose handler fails comes again, and nothing of its key overtakes it', async () => {
      const topic = unique('again');
      const handled: unknown[] = [];
      let failures = 3;
      await (await open()).subscribe({
        group: unique('g'),
        topics: [topic],
        async handler(one) {
          if (one.body === '2' && failures > 0) {
            failures -= 1;
            throw new Error('not yet');
          }
          handled.push(JSON.parse(one.body));
        },
      });
      await publisher.publish([1, 2, 3, 4].map((n) => record(topic, 'k', n)));
      await eventually(() => expect(handled).toEqual([1, 2, 3, 4]), { within: 30_000 });
      expect(failures).toBe(0);
    });

    test('what was received before a close is not delivered to the next member, and what came after is', async () => {
      const topic = unique('offsets');
      const group = unique('g');
      const first: ReceivedRecord[] = [];
      const running = await (await open()).subscribe({
        group,
        topics: [topic],
        handler: async (one) => void first.push(one),
      });
      await publisher.publish([1, 2].map((n) => record(topic, 'k', n)));
      await eventually(() => expect(first).toHaveLength(2), { within: 30_000 });
      await running.close();
      await publisher.publish([record(topic, 'k', 3)]);
      const second: ReceivedRecord[] = [];
      await (await open()).subscribe({ group, topics: [topic], handler: async (one) => void second.push(one) });
      await eventually(() => expect(valuesOf(second)).toEqual([3]), { within: 30_000 });
      expect(first).toHaveLength(2);
    });

    test('two members of a group share its records, and the other takes over when one ends', async () => {
      const topic = unique('standby');
      const group = unique('g');
      const received: { member: number; value: number }[] = [];
      const members = await Promise.all(
        [0, 1].map(async (member) => {
          const own = await open();
          await own.subscribe({
            group,
            topics: [topic],
            handler: async (one) => void received.push({ member, value: JSON.parse(one.body) }),
          });
          return own;
        }),
      );
      await publisher.publish(Array.from({ length: 20 }, (_, n) => record(topic, `k${n}`, n)));
      const seen = (from: number[]) => new Set(from).size;
      await eventually(() => expect(seen(received.map(({ value }) => value))).toBe(20), { within: 40_000 });
      const leaving = received.at(-1)?.member ?? 0;
      await members[leaving]?.close();
      const before = received.length;
      await publisher.publish(Array.from({ length: 20 }, (_, n) => record(topic, `k${n}`, 100 + n)));
      const afterwards = () => received.slice(before).filter(({ value }) => value >= 100);
      await eventually(() => expect(seen(afterwards().map(({ value }) => value))).toBe(20), { within: 40_000 });
      expect(afterwards().every(({ member }) => member === 1 - leaving)).toBe(true);
    });

    test('a batch of many and of large records arrives whole', async () => {
      const topic = unique('large');
      const received: ReceivedRecord[] = [];
      const text = 'x'.repeat(100_000);
      await publisher.publish([
        ...Array.from({ length: 5_000 }, (_, n) => record(topic, `k${n % 50}`, n)),
        ...Array.from({ length: 30 }, (_, n) => record(topic, 'big', { n, text })),
      ]);
      await (await open()).subscribe({
        group: unique('g'),
        topics: [topic],
        handler: async (one) => void received.push(one),
      });
      await eventually(() => expect(received).toHaveLength(5_030), { within: 40_000 });
      expect(valuesOf(received.filter(({ key }) => key === 'k7'))).toEqual(
        Array.from({ length: 100 }, (_, n) => 7 + n * 50),
      );
      expect(valuesOf(received.filter(({ key }) => key === 'big'))).toEqual(
        Array.from({ length: 30 }, (_, n) => ({ n, text })),
      );
    });

    test('draining delivers what lies in a topic, once, and returns', async () => {
      const topic = unique('drain');
      const group = unique('g');
      const received: ReceivedRecord[] = [];
      const drain = async () => (await open()).drain({ group, topic, handler: async (one) => void received.push(one) });
      expect(await drain()).toBe(0);
      await publisher.publish([1, 2, 3].map((n) => record(topic, `k${n}`, n)));
      expect(await drain()).toBe(3);
      expect(await drain()).toBe(0);
      await publisher.publish([record(topic, 'k1', 4)]);
      expect(await drain()).toBe(1);
      expect(valuesOf(received).sort()).toEqual([1, 2, 3, 4]);
    });

    test('new topics are drained, all concurrently', async () => {
      const reader = await open();
      const topics = Array.from({ length: 12 }, () => unique('new'));
      const drains = topics.map((topic) => reader.drain({ group: topic, topic, handler: async () => undefined }));
      expect(await Promise.all(drains)).toEqual(topics.map(() => 0));
    });

    test('a bus that goes away fails publishing, ends nothing, and delivers again once it is back', async () => {
      const topic = unique('away');
      const received: unknown[] = [];
      const reader = await open();
      await reader.subscribe({
        group: unique('g'),
        topics: [topic],
        handler: async (one) => void received.push(JSON.parse(one.body)),
      });
      await publisher.publish([record(topic, 'k', 'before')]);
      await eventually(() => expect(received).toContain('before'), { within: 30_000 });
      await bus.stop();
      await expect(publisher.publish([record(topic, 'k', 'lost')])).rejects.toThrow();
      const late: unknown[] = [];
      await reader.subscribe({
        group: unique('late'),
        topics: [topic],
        handler: async (one) => void late.push(JSON.parse(one.body)),
      });
      await bus.start();
      await eventually(() => publisher.publish([record(topic, 'k', 'after')]), { within: 40_000, every: 200 });
      await eventually(() => expect(received).toContain('after'), { within: 40_000 });
      await eventually(() => expect(late).toEqual(expect.arrayContaining(['before', 'after'])), { within: 40_000 });
    }, 120_000);
  });
}
