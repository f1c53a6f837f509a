import { countStatements, type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { openOutbound, parseAllowed } from '@switchyard/outbound';
import { observe } from '@switchyard/telemetry';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import type { Change } from '../../src/changes';
import {
  CannotBeMade,
  composeDeliveries,
  type DeliveryTarget,
  type NewDelivery,
  type Outcome,
  queueDeliveries,
} from '../../src/deliveries';
import { sendDelivery } from '../../src/deliveries/application/send-delivery';
import { pruneDeliveries } from '../../src/deliveries/storage/prune-deliveries';
import type { Edges } from '../../src/edges';
import { service } from '../../src/service';
import { type Receiver, receiver } from '../support/receivers';

let server: TestDatabase;
let db: Database;
/** Milliseconds by which the clock of the tests is ahead. */
let ahead = 0;
const now = () => Date.now() + ahead;
/** Time passes; the notice saves the wait for the look-up at rest. */
async function pass(milliseconds: number): Promise<void> {
  ahead += milliseconds;
  await db.query(sql`select pg_notify('switchyard_deliveries', '')`);
}
const closing: (() => Promise<unknown>)[] = [];
/** Addresses of receivers by target id. */
const urls = new Map<number, string>();
const settled: Outcome[] = [];

beforeAll(async () => {
  server = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: server.url, applicationName: 'test' });
});
afterAll(async () => {
  await db.close();
  await server.close();
});
beforeEach(async () => {
  ahead = 0;
  settled.length = 0;
  urls.clear();
  await db.query(sql`truncate deliveries, delivery_contents, delivery_lanes, delivery_receivers, delivery_attempts`);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const target: DeliveryTarget = {
  async prepare(delivery, change) {
    const url = urls.get(delivery.targetId);
    if (url === undefined) return { skip: 'removed' };
    const headers = { 'Idempotency-Key': delivery.idempotencyKey, 'X-Token': 'secret' };
    return url
      .split(' ')
      .map((one) => ({ method: 'POST' as const, url: one, headers, secretHeaders: ['X-Token'], body: change.body }));
  },
  async settled(_tx, outcomes) {
    settled.push(...outcomes);
  },
};

async function start(): Promise<void> {
  const area = composeDeliveries({
    config: { SWITCHYARD_OUTBOUND_ALLOWED: parseAllowed('127.0.0.1'), SWITCHYARD_DELIVERY_RETRIES: 5, NO_PROXY: '' },
    db,
    clock: () => new Date(now()),
    observe,
  } as unknown as Edges);
  area.register('project_hook', target);
  const jobs = (await area.start?.()) ?? [];
  closing.push(async () => {
    await Promise.all(jobs.map((job) => job.close()));
    await area.close?.();
  });
}

async function listen(id: number): Promise<Receiver> {
  const one = await receiver();
  urls.set(id, `${one.url}/`);
  closing.push(() => one.close());
  return one;
}

const change = (position: number, objectKey = `issue:${position}`): Change => ({
  position,
  kind: 'issue',
  confidential: false,
  projectId: 7,
  groupId: 0,
  ref: '',
  objectKey,
  actorId: 3,
  action: 'open',
  occurredAt: new Date(now()),
  body: JSON.stringify({ object_attributes: { title: `Issue ${position}` }, change: { position } }),
  eventId: `event-${position}`,
});

const delivery = (
  targetId: number,
  { position, objectKey }: Change,
  given: Partial<NewDelivery> = {},
): NewDelivery => ({
  targetKind: 'project_hook',
  targetId,
  changePosition: position,
  receiver: `hook:${targetId}`,
  objectKey,
  idempotencyKey: `${position}`,
  projectId: 7,
  groupId: 0,
  decision: 'queued',
  rule: 'event_switch',
  ...given,
});

const queue = (changes: Change[], rows: NewDelivery[]) => db.transaction((tx) => queueDeliveries(tx, changes, rows));
const lines = () =>
  db.query<{ fate: string; attempts: number; rule: string }>(sql`
  select fate, attempts, rule, response_status as status, error from deliveries order by id`);
const lanes = async () =>
  (await db.query(sql`select * from delivery_lanes where waiting <> 0 or lease is not null`)).length;
const waiting = async () =>
  (await db.one<{ sum: number }>(sql`select coalesce(sum(waiting), 0)::int as sum from delivery_receivers`))?.sum;

test('what is queued is sent once, with its key, and recorded; what is skipped is a line alone', async () => {
  const one = await listen(1);
  await start();
  const changes = [change(1), change(2)];
  const rows = changes.map((each) => delivery(1, each));
  await queue(changes, [...rows, delivery(2, changes[0]!, { decision: 'skipped', rule: 'disabled' })]);
  // The same once more, as after a repeated event.
  await queue(changes, rows);
  await eventually(async () =>
    expect((await lines()).map(({ fate }) => fate).sort()).toEqual(['sent', 'sent', 'skipped']),
  );
  expect(one.received.map(({ headers }) => headers['idempotency-key']).sort()).toEqual(['1', '2']);
  expect(settled).toHaveLength(2);
  expect([await lanes(), await waiting()]).toEqual([0, 0]);
  const [attempt] = await db.query(sql`select * from delivery_attempts order by id`);
  expect(attempt).toMatchObject({
    request_headers: { 'X-Token': '[REDACTED]' },
    response_status: 200,
    response_body: 'answered 200',
    response_headers: { 'x-receiver': 'test' },
  });
});

test('a failed delivery is repeated over an hour with one key, and what follows of its object waits; other objects do not', async () => {
  const one = await listen(1);
  one.answer = ({ body }) => (body.includes('Issue 1"') ? 500 : 200);
  await start();
  const changes = [change(1, 'issue:9'), change(2, 'issue:9'), change(3, 'issue:8')];
  await queue(
    changes,
    changes.map((each) => delivery(1, each)),
  );
  const keys = () => one.received.map(({ headers }) => headers['idempotency-key']);
  await eventually(async () => expect((await lines()).map(({ fate }) => fate)).toEqual(['failed', 'queued', 'sent']));
  expect(keys().sort()).toEqual(['1', '3']);
  for (let tries = 2; tries <= 6; tries += 1) {
    expect((await lines())[0]).toMatchObject({ fate: 'failed', attempts: tries - 1, status: 500 });
    await pass(3_600_000 * (2 ** (tries - 2) / 31) + 1);
    await eventually(async () => expect((await lines())[0]).toMatchObject({ attempts: tries }));
  }
  await eventually(async () => expect((await lines()).map(({ fate }) => fate)).toEqual(['given_up', 'sent', 'sent']));
  expect(keys().filter((key) => key === '1')).toHaveLength(6);
  expect(keys().at(-1)).toBe('2');
  expect([await lanes(), await waiting()]).toEqual([0, 0]);
});

test('of several requests those that succeeded are not sent again', async () => {
  const [one, two] = [await listen(1), await listen(2)];
  urls.set(1, `${one.url}/a ${two.url}/b`);
  two.answer = () => (two.received.length === 1 ? 503 : 200);
  await start();
  await queue([change(1)], [delivery(1, change(1))]);
  await eventually(async () => expect((await lines())[0]).toMatchObject({ fate: 'failed', attempts: 1 }));
  await pass(3_600_000);
  await eventually(async () => expect((await lines())[0]).toMatchObject({ fate: 'sent', attempts: 2 }));
  expect([one.received.length, two.received.length]).toEqual([1, 2]);
});

test('a process that dies between send and record repeats at most, with the same key; an outcome without its lease is dropped', async () => {
  const one = await listen(1);
  await queue([change(1)], [delivery(1, change(1))]);
  // As a process leaves it that sent and died.
  await db.query(sql`update delivery_lanes set lease = 'dead', due_at = ${new Date(now() + 60_000)}`);
  await start();
  await new Promise((settle) => setTimeout(settle, 200));
  expect(one.received).toHaveLength(0);
  one.answer = () => {
    void db.query(sql`update delivery_lanes set lease = 'of another process'`);
    return 'never';
  };
  await pass(61_000);
  await eventually(() => expect(one.received).toHaveLength(1));
  await eventually(async () =>
    expect(await db.query(sql`select 1 from delivery_lanes where lease = 'of another process'`)).toHaveLength(1),
  );
  one.answer = () => 200;
  await pass(120_000);
  await eventually(async () => expect((await lines())[0]).toMatchObject({ fate: 'sent' }), { within: 20_000 });
  expect(new Set(one.received.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set(['1']));
  expect((await lines())[0]).toMatchObject({ attempts: 1 });
});

test('ten receivers that never answer delay a healthy one by less than 100 ms, and it waits for none of them', async () => {
  const healthy = await listen(99);
  const silent = await Promise.all(
    Array.from({ length: 10 }, async (_, at) => {
      const one = await listen(at + 1);
      one.answer = () => 'never';
      return one;
    }),
  );
  await start();
  let position = 100;
  /** Median of the milliseconds from the queueing of a delivery until it arrives. */
  const delay = async (): Promise<number> => {
    const delays: number[] = [];
    for (let probe = 0; probe < 10; probe += 1) {
      position += 1;
      const expected = healthy.received.length + 1;
      const began = performance.now();
      await queue([change(position)], [delivery(99, change(position))]);
      await eventually(() => expect(healthy.received).toHaveLength(expected), { every: 2 });
      delays.push((healthy.received.at(-1)?.at ?? Number.POSITIVE_INFINITY) - began);
    }
    return delays.sort((a, b) => a - b)[4] ?? Number.POSITIVE_INFINITY;
  };
  await delay();
  const alone = await delay();
  const changes = Array.from({ length: 40 }, (_, at) => change(at + 1));
  await queue(
    changes,
    changes.flatMap((each) => silent.map((_, at) => delivery(at + 1, each))),
  );
  // Each of them holds all the places that one receiver can have.
  await eventually(() => expect(silent.map(({ received }) => received.length)).toEqual(Array(10).fill(16)));
  // On a machine that is busy with other work, what one takes alone is the measure. A delay that they cause is there each
  // time; one that other work causes in a moment is not.
  const beside: number[] = [];
  for (let tries = 0; tries < 4 && !((beside.at(-1) ?? Infinity) < Math.max(100, 2 * alone)); tries += 1)
    beside.push(await delay());
  expect(beside.at(-1)).toBeLessThan(Math.max(100, 2 * alone));
  // None of the silent receivers was given up meanwhile: nothing waited for the end of their time.
  expect(settled.every(({ delivery: { targetId } }) => targetId === 99)).toBe(true);
});

test('each way in which a receiver or its settings fail is a line with its reason', async () => {
  const server = await receiver();
  closing.push(() => server.close());
  server.answer = ({ path }) => {
    const [, left] = /^\/hops\/(\d+)$/.exec(path) ?? [];
    if (left !== undefined) return { redirect: `/hops/${Number(left) - 1}` };
    return path === '/never' ? 'never' : path === '/metadata' ? { redirect: 'http://169.254.169.254/latest' } : 200;
  };
  const { port } = new URL(server.url);
  let looked = 0;
  const resolve = async (name: string) => [
    { address: name === 'rebinding.test' && looked++ > 0 ? '169.254.169.254' : '127.0.0.1', family: 4 },
  ];
  const outbound = openOutbound({ allowed: parseAllowed('127.0.0.1'), resolve });
  closing.push(() => outbound.close());
  const lineOf = async (url: string, headers = {}) => {
    const request: DeliveryTarget = { ...target, prepare: async () => [{ method: 'POST', url, headers, body: '{}' }] };
    const failing: DeliveryTarget = {
      ...target,
      prepare: () => Promise.reject(new CannotBeMade('The template is bad')),
    };
    const send = sendDelivery({
      outbound,
      targets: new Map([['project_hook', url === 'template' ? failing : request]]),
      clock: () => new Date(now()),
      retries: 0,
      timeoutMs: 150,
    });
    const due = { id: 1, kind: 'issue', action: 'open', attempts: 0, partsSent: 0, isRequested: false };
    const outcome = await send({ delivery: { ...delivery(1, change(1)), ...due }, change: change(1) });
    return [outcome.fate, outcome.responseStatus ?? outcome.error];
  };
  const at = (path: string) => `${server.url}${path}`;
  expect(await lineOf(at('/never'))).toEqual(['given_up', 'The host did not answer in time']);
  expect(await lineOf(at('/hops/100'))).toEqual(['given_up', 'The host redirects more than 3 times']);
  expect(server.received.filter(({ path }) => path.startsWith('/hops'))).toHaveLength(4);
  const inside = 'The address is not allowed: it is local, private or reserved';
  expect(await lineOf(at('/metadata'))).toEqual(['given_up', inside]);
  expect(await lineOf(`http://rebinding.test:${port}/`)).toEqual(['sent', 200]);
  // Another scheme is another connection, which resolves again.
  expect(await lineOf(`https://rebinding.test:${port}/`)).toEqual(['given_up', inside]);
  expect(await lineOf(`https://other.test:${port}/`)).toEqual([
    'given_up',
    expect.stringMatching(/^The TLS certificate of the host is not accepted/),
  ]);
  expect(await lineOf(at('/'), { 'X-A\r\nX-B': '1' })).toEqual([
    'given_up',
    'The request cannot be sent: the name of a header may have letters, digits and -_. alone',
  ]);
  expect(await lineOf('template')).toEqual(['given_up', 'The template is bad']);
});

test('queueing takes as many statements for one delivery as for 200, and a full queue takes no more', async () => {
  const counted = (count: number, from: number) => {
    const changes = Array.from({ length: count }, (_, at) => change(from + at));
    return countStatements(() =>
      queue(
        changes,
        changes.map((each) => delivery(1, each)),
      ),
    );
  };
  expect((await counted(200, 100)).statements).toBe((await counted(1, 1)).statements);
  await db.query(sql`update delivery_receivers set waiting = 10000`);
  await queue([change(500)], [delivery(1, change(500))]);
  expect((await lines()).at(-1)).toMatchObject({ fate: 'skipped', rule: 'queue_full' });
});

test('G-6-6: what is old is pruned, and a delivery without its content is skipped', async () => {
  await listen(1);
  await queue([change(1), change(2)], [delivery(1, change(1)), delivery(2, change(2), { decision: 'skipped' })]);
  await pruneDeliveries(db, new Date(now() + 4 * 86_400_000), new AbortController().signal);
  expect(await db.query(sql`select 1 from delivery_contents`)).toEqual([]);
  await start();
  await eventually(async () => expect((await lines())[0]).toMatchObject({ fate: 'skipped', rule: 'removed' }));
  await pruneDeliveries(db, new Date(now() + 31 * 86_400_000), new AbortController().signal);
  expect(await lines()).toEqual([]);
});
