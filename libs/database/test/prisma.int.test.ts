import { execFileSync } from 'node:child_process';
import { join as joinPath } from 'node:path';
import { isAppError } from '@switchyard/errors';
import { appendToOutbox, defineEvent, eventMigrations } from '@switchyard/events';
import { freePort, type TestDatabase, testDatabase } from '@switchyard/testkit';
import {
  countStatements,
  type Database,
  databaseError,
  fromPrisma,
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
