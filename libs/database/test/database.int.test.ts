import { join as joinPath } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAppError } from '@switchyard/errors';
import { eventually, freePort, type TestDatabase, tcpGate, testDatabase } from '@switchyard/testkit';
import {
  countStatements,
  type Database,
  isConnectionError,
  isLostUnderway,
  isUniqueViolation,
  onStatement,
  openDatabase,
  type Statement,
  statementsSoFar,
} from '../src';
import { named, sql } from '../src/sql';

const sets = [{ schema: 'public', directory: joinPath(__dirname, 'migrations') }];

let home: TestDatabase;
let db: Database;

beforeAll(async () => {
  home = await testDatabase({ sets });
  db = openDatabase({ url: home.url, applicationName: 'test', poolSize: 4 });
});

afterAll(async () => {
  await db.close();
  await home.close();
});

test('int8 arrives as number and timestamptz as Date', async () => {
  const row = await db.one<{ count: number; at: Date; list: number[] }>(
    sql`select 9007199254740991::int8 as count, '2024-01-31T08:39:14.883Z'::timestamptz as at, array[1, 2]::int8[] as list`,
  );
  expect(row).toEqual({ count: 9007199254740991, at: new Date('2024-01-31T08:39:14.883Z'), list: [1, 2] });
});

test('an int8 past 2^53 is refused rather than rounded', async () => {
  await expect(db.query(sql`select 9007199254740993::int8 as count`)).rejects.toThrow(RangeError);
});

test('a transaction that throws leaves nothing, and its afterCommit callbacks do not run', async () => {
  const called = jest.fn();
  await expect(
    db.transaction(async (tx) => {
      tx.afterCommit(called);
      await tx.query(sql`insert into things (name) values ('lost')`);
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(called).not.toHaveBeenCalled();
  expect(await db.query(sql`select from things where name = 'lost'`)).toHaveLength(0);
});

test('afterCommit callbacks see the committed rows', async () => {
  const seen = new Promise<number>((settle) => {
    void db.transaction(async (tx) => {
      tx.afterCommit(async () => settle((await db.query(sql`select from things where name = 'kept'`)).length));
      await tx.query(sql`insert into things (name) values ('kept')`);
    });
  });
  expect(await seen).toBe(1);
});

test('a transaction whose failed statement was swallowed does not pass for committed', async () => {
  await expect(
    db.transaction(async (tx) => {
      await tx.query(sql`insert into things (name) values ('half')`);
      await tx.query(sql`select 1 / 0`).catch(() => undefined);
    }),
  ).rejects.toThrow('rolled back');
});

test('a unique violation is recognised by its constraint', async () => {
  await db.query(sql`insert into things (name) values ('once')`);
  const error = await db.query(sql`insert into things (name) values ('once')`).catch((failure: unknown) => failure);
  expect(isUniqueViolation(error)).toBe(true);
  expect(isUniqueViolation(error, 'things_name_key')).toBe(true);
  expect(isUniqueViolation(error, 'things_pkey')).toBe(false);
});

test('deadlocked transactions are run again until both are done', async () => {
  await db.query(sql`insert into things (name, rank) values ('left', 0), ('right', 0)`);
  let waiting = 0;
  let release: () => void = () => undefined;
  const bothHold = new Promise<void>((settle) => {
    release = settle;
  });
  const crossing = (first: string, second: string) => {
    let runs = 0;
    return db.transaction(async (tx) => {
      runs += 1;
      await tx.query(sql`update things set rank = rank + 1 where name = ${first}`);
      if (runs === 1) {
        waiting += 1;
        if (waiting === 2) release();
        await bothHold;
      }
      await tx.query(sql`update things set rank = rank + 1 where name = ${second}`);
    });
  };
  await Promise.all([crossing('left', 'right'), crossing('right', 'left')]);
  expect(await db.query(sql`select rank from things where name in ('left', 'right')`)).toEqual([
    { rank: 2 },
    { rank: 2 },
  ]);
});

test('serialization failures are retried a bounded number of times', async () => {
  let runs = 0;
  const failing = db.transaction(
    async (tx) => {
      runs += 1;
      await tx.query(sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`);
    },
    { isolation: 'serializable', retries: 2 },
  );
  await expect(failing).rejects.toMatchObject({ kind: 'unavailable', cause: { code: '40001' } });
  expect(runs).toBe(3);
});

test('a database that is away gives unavailable, for statements and transactions', async () => {
  const away = openDatabase({ url: `postgres://x:y@127.0.0.1:${await freePort()}/x`, applicationName: 'test' });
  for (const attempt of [away.query(sql`select 1`), away.transaction(async (tx) => tx.query(sql`select 1`))]) {
    const error = await attempt.catch((failure: unknown) => failure);
    expect(isAppError(error, 'unavailable')).toBe(true);
    expect(isConnectionError(error)).toBe(true);
  }
  await away.close();
});

test('a connection killed in the middle of a transaction gives unavailable, and the pool goes on', async () => {
  const error = await db
    .transaction(async (tx) => {
      const [self] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      await db.query(sql`select pg_terminate_backend(${self?.pid})`);
      await tx.query(sql`select 1`);
    })
    .catch((failure: unknown) => failure);
  expect(isAppError(error, 'unavailable')).toBe(true);
  expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
});

test('a database that stands still gives unavailable in bounded time, and is used again once it goes on', async () => {
  const address = new URL(home.url);
  const gate = await tcpGate({ host: address.hostname, port: Number(address.port) });
  address.host = `127.0.0.1:${gate.port}`;
  const limits = { poolSize: 1, statementTimeout: 100, connectTimeout: 500 };
  const still = openDatabase({ url: address.href, applicationName: 'test', ...limits });
  await still.query(sql`select 1`);
  gate.freeze();
  // One has the connection, the other one waits for it.
  const attempts = [still.query(sql`select 1`), still.transaction((tx) => tx.query(sql`select 1`))];
  for (const error of await Promise.all(attempts.map((attempt) => attempt.catch((failure: unknown) => failure)))) {
    expect(isAppError(error, 'unavailable')).toBe(true);
    expect(isConnectionError(error)).toBe(true);
  }
  gate.thaw();
  await eventually(async () => expect(await still.query(sql`select 1 as one`)).toEqual([{ one: 1 }]));
  await still.close();
  await gate.close();
}, 10_000);

test('a server that is silent fails all who wait within 2.5 s and then at once, until it answers again (F3)', async () => {
  const address = new URL(home.url);
  const gate = await tcpGate({ host: address.hostname, port: Number(address.port) });
  address.host = `127.0.0.1:${gate.port}`;
  const silent = openDatabase({ url: address.href, applicationName: 'test', poolSize: 12 });
  await Promise.all(Array.from({ length: 12 }, () => silent.query(sql`select pg_sleep(0.05)`)));
  const underWay: ReturnType<typeof failed>[] = [];
  const failed = async (attempt: Promise<unknown>) => {
    const since = performance.now();
    const error = await attempt.catch((failure: unknown) => failure);
    expect([isAppError(error, 'unavailable'), isConnectionError(error)]).toEqual([true, true]);
    return { error, after: performance.now() - since };
  };
  const frozen = new Promise<void>((settle) => {
    underWay.push(
      failed(
        silent.transaction(async (tx) => {
          await tx.query(sql`insert into things (name) values ('silent')`);
          gate.freeze();
          settle();
        }),
      ),
    );
  });
  await frozen;
  underWay.push(failed(silent.query(sql`select 1`)));
  // As requests come: each takes a connection that is idle.
  for (let n = 0; n < 14; n += 1) {
    underWay.push(failed(silent.transaction((tx) => tx.query(sql`select 1`))));
    await pause(100);
  }
  const [committing, ...others] = await Promise.all(underWay);
  expect(isLostUnderway(committing?.error)).toBe(true);
  for (const { after } of others) expect(after).toBeLessThan(2_500);
  const later = await failed(silent.query(sql`select 1`));
  expect(later.after).toBeLessThan(500);
  expect(isLostUnderway(later.error)).toBe(false);
  gate.thaw();
  await eventually(async () => expect(await silent.query(sql`select 1 as one`)).toEqual([{ one: 1 }]), {
    within: 3_000,
  });
  await silent.close();
  await gate.close();
}, 20_000);

test('a slow statement, a lock and a pool that is in use are no silence', async () => {
  const slow = openDatabase({ url: home.url, applicationName: 'test', poolSize: 2 });
  const slept = await Promise.all([1, 2, 3].map(() => slow.query(sql`select 1 as one, pg_sleep(2.5)`)));
  expect(slept.map(([row]) => row?.one)).toEqual([1, 1, 1]);
  await slow.close();
}, 20_000);

test('a statement over its time limit gives unavailable, and is not taken for a lost connection', async () => {
  const hasty = openDatabase({ url: home.url, applicationName: 'test', statementTimeout: 50 });
  const error = await hasty.query(sql`select pg_sleep(5)`).catch((failure: unknown) => failure);
  expect(isAppError(error, 'unavailable')).toBe(true);
  expect(isConnectionError(error)).toBe(false);
  await hasty.close();
});

test('statements are counted per piece of work, also when the pool makes them wait', async () => {
  const counted = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      countStatements(async () => {
        for (let n = 0; n <= at; n += 1) await db.query(sql`select pg_sleep(0.002)`);
        await db.transaction(async (tx) => tx.query(sql`select 1`));
        return statementsSoFar();
      }),
    ),
  );
  expect(counted.map((count) => count.statements)).toEqual(Array.from({ length: 12 }, (_, at) => at + 2));
  expect(counted.map((count) => count.result)).toEqual(Array.from({ length: 12 }, (_, at) => at + 2));
});

test('named statements are prepared once per connection, each text under a name of its own', async () => {
  const seen: Statement[] = [];
  const stop = onStatement((statement) => seen.push(statement));
  const small = openDatabase({ url: home.url, applicationName: 'test', poolSize: 1 });
  for (let n = 0; n < 3; n += 1) await small.query(named('find', sql`select ${n}::int as n`));
  await small.query(named('find', sql`select ${1}::int as n, 2 as other`));
  const prepared = await small.query<{ name: string }>(
    sql`select name from pg_prepared_statements where name like 'find%'`,
  );
  await small.close();
  stop();
  expect(prepared).toHaveLength(2);
  expect(seen.map((statement) => statement.name)).toEqual(['find', 'find', 'find', 'find', undefined]);
  expect(seen.every((statement) => !statement.failed && statement.milliseconds >= 0)).toBe(true);
});

test('a prepared statement whose result has other columns since a migration is prepared again, also in transactions', async () => {
  await db.query(sql`create table migrated (id int)`);
  await db.query(sql`insert into migrated values (1)`);
  const read = () => named('read_migrated', sql`select * from migrated`);
  const everywhere = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 4 }, work));
  const inTransaction = () =>
    db.transaction(async (tx) => {
      await tx.query(sql`select pg_sleep(0.02)`);
      return tx.query(read());
    });
  expect(await everywhere(inTransaction)).toEqual(Array(4).fill([{ id: 1 }]));
  await db.query(sql`alter table migrated add column title text default 'a'`);
  expect(await everywhere(inTransaction)).toEqual(Array(4).fill([{ id: 1, title: 'a' }]));
  await db.query(sql`alter table migrated add column rank int default 2`);
  expect(await everywhere(() => db.query(read()))).toEqual(Array(4).fill([{ id: 1, title: 'a', rank: 2 }]));
  expect(await db.one(read())).toEqual({ id: 1, title: 'a', rank: 2 });
});
