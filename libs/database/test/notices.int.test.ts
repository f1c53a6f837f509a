import { eventually, type TcpGate, type TestDatabase, tcpGate, testDatabase } from '@switchyard/testkit';
import { type Database, openDatabase } from '../src';

let server: TestDatabase;
let gate: TcpGate;
let own: Database;
let other: Database;

beforeAll(async () => {
  server = await testDatabase({ sets: [] });
  const { hostname, port } = new URL(server.url);
  gate = await tcpGate({ host: hostname, port: Number(port) });
});

afterAll(async () => {
  await gate.close();
  await server.close();
});

beforeEach(() => {
  const url = new URL(server.url);
  url.host = `127.0.0.1:${gate.port}`;
  own = openDatabase({ url: server.url, applicationName: 'own' });
  other = openDatabase({ url: url.href, applicationName: 'other' });
});

afterEach(async () => {
  await Promise.all([own.close(), other.close()]);
});

/** What `other` hears on a channel, once it listens: payloads, and `begun` when it may have missed some. */
async function notified(channel: string): Promise<string[]> {
  const notices: string[] = [];
  other.notices.listen(channel, (payload) => notices.push(payload ?? 'begun'));
  await eventually(() => expect(notices).toEqual(['begun']));
  return notices;
}

test('a notice reaches other processes once, and the listeners of its own at once', async () => {
  const received = await notified('things');
  const here: string[] = [];
  own.notices.listen('things', (payload) => here.push(payload ?? 'begun'));
  await eventually(() => expect(here).toEqual(['begun']));
  own.notices.notify('things', 'a');
  expect(here).toEqual(['begun', 'a']);
  await eventually(() => expect(received).toEqual(['begun', 'a']));
  other.notices.notify('things', 'b');
  await eventually(() => expect(here).toEqual(['begun', 'a', 'b']));
  expect(received).toEqual(['begun', 'a', 'b']);
});

test('equal notices that wait are sent as one, others each', async () => {
  const received = await notified('things');
  for (let at = 0; at < 100; at += 1) own.notices.notify('things', at % 2 === 0 ? 'even' : 'odd');
  own.notices.notify('others');
  await eventually(() => expect(received).toEqual(expect.arrayContaining(['even', 'odd'])));
  expect(received.length).toBeLessThan(10);
});

test('a transaction notifies after its commit, and not when it is rolled back', async () => {
  const received = await notified('things');
  await expect(
    own.transaction(async (tx) => {
      tx.notify('things');
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await own.transaction(async (tx) => {
    tx.notify('things');
    expect(received).toEqual(['begun']);
  });
  await eventually(() => expect(received).toEqual(['begun', '']));
});

test('a listener whose connection was lost is woken, since it may have missed notices, and gets the next', async () => {
  const received = await notified('things');
  await gate.shut();
  own.notices.notify('things', 'missed');
  await gate.open();
  await eventually(() => expect(received).toEqual(['begun', 'begun']));
  own.notices.notify('things', 'next');
  await eventually(() => expect(received.at(-1)).toBe('next'));
});

test('a removed listener gets nothing', async () => {
  const received = await notified('things');
  const more: unknown[] = [];
  other.notices.listen('things', (payload) => more.push(payload))();
  own.notices.notify('things');
  await eventually(() => expect(received).toHaveLength(2));
  expect(more).toEqual([]);
});
