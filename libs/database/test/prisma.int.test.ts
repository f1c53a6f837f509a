import { execFileSync } from 'node:child_process';
import { join as joinPath } from 'node:path';
import { isAppError } from '@switchyard/errors';
import { appendToOutbox, defineEvent, eventMigrations } from '@switchyard/events';
import { eventually, freePort, type TestDatabase, tcpGate, testDatabase } from '@switchyard/testkit';
import {
  countStatements,
  type Database,
  databaseError,
  fromPrisma,
  guardWrites,
  isUniqueViolation,
  openDatabase,
  prismaAdapter,
} from '../src';
import { sql } from '../src/sql';

const sets = [{ schema: 'public', directory: joinPath(__dirname, 'migrations') }, eventMigrations];

interface Thing {
  id: bigint;
  name: string;
  rank: number | null;
  due: Date | null;
}

interface Client {
  thing: {
    create(given: { data: Partial<Thing> }): Promise<Thing>;
    findMany(given?: object): Promise<Thing[]>;
    count(): Promise<number>;
  };
  $transaction<T>(work: (tx: Client) => Promise<T>): Promise<T>;
  $queryRaw<T>(query: unknown): Promise<T>;
  $executeRawUnsafe(text: string): Promise<number>;
  $disconnect(): Promise<void>;
}

const happened = defineEvent<{ name: string }>({
  stream: 'test.thing',
  version: 1,
  type: 'thing.happened',
  message: { toJSON: (message) => message, fromJSON: (json) => ({ name: String(json.name) }) },
  key: ({ name }) => name,
});

let home: TestDatabase;
let db: Database;
let PrismaClient: new (options: object) => Client;
let prisma: Client;

beforeAll(async () => {
  const cli = require.resolve('prisma/build/index.js');
  execFileSync(process.execPath, [cli, 'generate'], { cwd: joinPath(__dirname, 'prisma'), stdio: 'pipe' });
  PrismaClient = require(joinPath(__dirname, 'generated', 'prisma', 'client')).PrismaClient;
  home = await testDatabase({ sets });
  db = openDatabase({ url: home.url, applicationName: 'test' });
  prisma = new PrismaClient({ adapter: prismaAdapter(db) });
});

afterAll(async () => {
  await prisma?.$disconnect();
  await db?.close();
  await home?.close();
});

test('a generated client shares the pool and counts its statements', async () => {
  const due = new Date('2024-01-31T08:39:14.883Z');
  const { result, statements } = await countStatements(() => prisma.thing.create({ data: { name: 'shared', due } }));
  expect(result).toMatchObject({ name: 'shared', due, id: expect.any(BigInt) });
  expect(statements).toBeGreaterThanOrEqual(1);
  expect(await db.query(sql`select id, due from things where name = 'shared'`)).toEqual([
    { id: Number(result.id), due },
  ]);
});

test('our SQL runs inside a Prisma transaction, with our numbers', async () => {
  const rows = await prisma.$transaction(async (tx) => {
    await tx.thing.create({ data: { name: 'inside', rank: 7 } });
    return fromPrisma(tx).query(
      sql`select id, name, rank from things where name = any(${['inside', 'other']}::text[])`,
    );
  });
  expect(rows).toEqual([{ id: expect.any(Number), name: 'inside', rank: 7 }]);
});

test('an outbox row appended in a Prisma transaction commits and rolls back with it', async () => {
  const write = (name: string, fail: boolean) =>
    prisma.$transaction(async (tx) => {
      await tx.thing.create({ data: { name } });
      await appendToOutbox(fromPrisma(tx), happened, { name }, { id: `thing.happened:${name}` });
      await appendToOutbox(fromPrisma(tx), happened, { name }, { id: `thing.happened:${name}` });
      if (fail) throw new Error('no');
    });
  await write('kept', false);
  await expect(write('dropped', true)).rejects.toThrow('no');
  expect(await db.query(sql`select event_id, topic, key, body from events.outbox`)).toEqual([
    { event_id: 'thing.happened:kept', topic: 'test.thing.v1', key: 'kept', body: { name: 'kept' } },
  ]);
});

test('unique violations are recognised through Prisma', async () => {
  await prisma.thing.create({ data: { name: 'once' } });
  const error = await prisma.thing.create({ data: { name: 'once' } }).catch((failure: unknown) => failure);
  expect(isUniqueViolation(error, 'things_name_key')).toBe(true);
  expect(isUniqueViolation(error, 'things_pkey')).toBe(false);
  const rawError = await fromPrisma(prisma)
    .query(sql`insert into things (name) values ('once')`)
    .catch((failure: unknown) => failure);
  expect(isUniqueViolation(rawError, 'things_name_key')).toBe(true);
});

test('a database that is away gives unavailable through Prisma', async () => {
  const away = openDatabase({ url: `postgres://x:y@127.0.0.1:${await freePort()}/x`, applicationName: 'test' });
  const client = new PrismaClient({ adapter: prismaAdapter(away) });
  for (const attempt of [client.thing.count(), client.$transaction(async (tx) => tx.thing.count())]) {
    const error = await attempt.catch((failure: unknown) => failure);
    expect(isAppError(databaseError(error), 'unavailable')).toBe(true);
  }
  await client.$disconnect();
  await away.close();
});

test('a database that hangs gives unavailable through Prisma, in transactions as well', async () => {
  const address = new URL(home.url);
  const gate = await tcpGate({ host: address.hostname, port: Number(address.port) });
  address.host = `127.0.0.1:${gate.port}`;
  const hanging = new PrismaClient({ adapter: prismaAdapter({ url: address.href, applicationName: 'test' }) });
  await Promise.all([hanging.thing.count(), hanging.$transaction((tx) => tx.thing.count())]);
  gate.freeze();
  const since = performance.now();
  const errors = await Promise.all(
    [hanging.thing.count(), hanging.$transaction((tx) => tx.thing.count())].map((attempt) =>
      attempt.catch((error: unknown) => databaseError(error)),
    ),
  );
  expect(errors.map((error) => isAppError(error, 'unavailable'))).toEqual([true, true]);
  expect(performance.now() - since).toBeLessThan(2_500);
  gate.thaw();
  await eventually(async () => expect(await hanging.thing.count()).toBeGreaterThanOrEqual(0));
  await hanging.$disconnect();
  await gate.close();
}, 20_000);

test.each<[string, boolean, () => Promise<unknown>]>([
  ['a row', true, () => prisma.thing.create({ data: { name: 'begun' } })],
  ['a statement', true, () => prisma.$executeRawUnsafe(`update things set rank = 1 where name = 'nobody'`)],
  ['a transaction', true, () => prisma.$transaction((tx) => tx.thing.create({ data: { name: 'begun in turn' } }))],
  ['a transaction that reads', false, () => prisma.$transaction((tx) => tx.thing.count())],
  ['a read', false, () => prisma.thing.findMany()],
  [
    'a transaction that is rolled back',
    false,
    () =>
      prisma
        .$transaction(async (tx) => {
          await tx.thing.create({ data: { name: 'never' } });
          throw new Error('no');
        })
        .catch(() => undefined),
  ],
  [
    'a row that is refused',
    false,
    () => prisma.thing.create({ data: { name: 'once' } }).then(Promise.reject, () => undefined),
  ],
])('through Prisma %s is noted as begun: %s', async (_name, begun, work) => {
  const noteBegun = jest.fn();
  await guardWrites({ refuseLate: () => undefined, noteBegun }, work);
  expect(noteBegun.mock.calls.length > 0).toBe(begun);
});

test('a connection that Prisma loses under a write leaves open what was done, and one that it does not get does not', async () => {
  await db.query(sql`create function die() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`);
  await db.query(sql`create constraint trigger dies after insert on things deferrable initially deferred
    for each row when (new.name like 'lost%') execute function die()`);
  const writing = (client: Client, work: (given: Client) => Promise<unknown>) =>
    guardWrites({ refuseLate: () => undefined, noteBegun: () => undefined }, () => work(client));
  const alone = (client: Client) => client.thing.create({ data: { name: 'lost alone' } });
  const within = (client: Client) => client.$transaction((tx) => tx.thing.create({ data: { name: 'lost within' } }));
  const away = openDatabase({ url: `postgres://x:y@127.0.0.1:${await freePort()}/x`, applicationName: 'test' });
  const nobody = new PrismaClient({ adapter: prismaAdapter(away) });
  for (const work of [alone, within]) {
    await expect(writing(prisma, work)).rejects.toMatchObject({ kind: 'unavailable', begun: true });
    await expect(writing(nobody, work)).rejects.toMatchObject({ kind: 'unavailable', begun: false });
  }
  await nobody.$disconnect();
  await away.close();
});
