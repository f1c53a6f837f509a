import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { requestCountStore } from '../../src/request-counts/storage/request-count.store';
import { service } from '../../src/service';

let server: TestDatabase;
let db: Database;
beforeAll(async () => {
  server = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: server.url, applicationName: 'test' });
});
afterAll(async () => {
  await db.close();
  await server.close();
});
beforeEach(() => db.query(sql`truncate request_counts`));

const one = (name: string, added: number, seconds = 60) => ({ key: Buffer.alloc(16, name), added, seconds });

it('adds up what gateways have counted, in windows that begin with the first', async () => {
  const store = requestCountStore(db);
  const [first, other] = await store.add([one('b', 2), one('a', 1, 600)]);
  expect(first).toEqual({ count: 2, endsInMs: 60_000 });
  expect(other).toEqual({ count: 1, endsInMs: 600_000 });
  // Another length does not move the end.
  const [sum] = await store.add([one('b', 3, 600)]);
  expect(sum?.count).toBe(5);
  expect(sum?.endsInMs).toBeLessThanOrEqual(60_000);
  expect((await store.add([one('b', -4)]))[0]?.count).toBe(1);
  expect((await store.add([one('b', -4)]))[0]?.count).toBe(0);
});

it('begins again when the window has ended, and forgets it', async () => {
  const store = requestCountStore(db);
  await store.add([one('a', 7), one('b', 7)]);
  await db.query(
    sql`update request_counts set ends_at = now() - interval '1 second' where key = ${Buffer.alloc(16, 'a')}`,
  );
  await db.query(sql`select pg_sleep(0.002)`);
  expect(await store.add([one('a', 1)])).toEqual([{ count: 1, endsInMs: 60_000 }]);
  // Only some time later: it may be counted on again right now.
  await store.prune();
  expect(await db.query(sql`select key from request_counts`)).toHaveLength(2);
  await db.query(
    sql`update request_counts set ends_at = now() - interval '2 minutes' where key = ${Buffer.alloc(16, 'a')}`,
  );
  await store.prune();
  expect(await db.query(sql`select key from request_counts`)).toEqual([{ key: Buffer.alloc(16, 'b') }]);
});

it('takes calls at the same time that name the same counters', async () => {
  const store = requestCountStore(db);
  const names = ['a', 'b', 'c', 'd'];
  const calls = Array.from({ length: 40 }, (_, at) =>
    store.add((at % 2 ? names : names.toReversed()).map((name) => one(name, 1))),
  );
  const sums = await Promise.all(calls);
  expect(Math.max(...sums.flat().map(({ count }) => count))).toBe(40);
});
