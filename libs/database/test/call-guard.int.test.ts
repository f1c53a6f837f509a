import { join } from 'node:path';
import { AppError, unavailable } from '@switchyard/errors';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { type Database, guardWrites, noteShared, openDatabase, sharedWrites, uncounted } from '../src';
import { isWriting } from '../src/call-guard';
import { raw, sql } from '../src/sql';

let home: TestDatabase;
let db: Database;

beforeAll(async () => {
  home = await testDatabase({ sets: [{ schema: 'public', directory: join(__dirname, 'migrations') }] });
  db = openDatabase({ url: home.url, applicationName: 'test', poolSize: 4 });
  await db.query(sql`create table guarded (name text)`);
});
beforeEach(() => db.query(sql`truncate guarded`));
afterAll(async () => {
  await db.close();
  await home.close();
});

const refused = { kind: 'unavailable' };
const noteBegun = jest.fn();
beforeEach(() => noteBegun.mockClear());
const stored = async () =>
  (await db.query<{ name: string }>(sql`select name from guarded order by name`)).map((row) => row.name);
const insert = (name: string) => db.query(sql`insert into guarded values (${name})`);

/** A call that becomes late on demand. */
function callOf(work: (beLate: () => void) => Promise<unknown>): Promise<unknown> {
  let late = false;
  const refuseLate = () => {
    if (late) throw unavailable('late');
  };
  return guardWrites({ refuseLate, noteBegun }, () =>
    work(() => {
      late = true;
    }),
  );
}

test.each([
  ['a transaction', () => db.transaction((tx) => tx.query(sql`insert into guarded values ('late')`))],
  [
    'a statement that writes in a part of it',
    () => db.query(sql`with made as (insert into guarded values ('late') returning name) select name from made`),
  ],
  ['a statement of its own', () => insert('late')],
])('%s is refused, and has done nothing, when it would be the first write of a late call', async (_name, write) => {
  const call = callOf(async (beLate) => {
    await db.query(sql`select 1`);
    beLate();
    await write();
  });
  await expect(call).rejects.toMatchObject(refused);
  expect(await stored()).toEqual([]);
});

test('a transaction in which the call became late is rolled back, and its connection used again', async () => {
  const call = callOf((beLate) =>
    db.transaction(async (tx) => {
      await tx.query(sql`insert into guarded values ('late')`);
      beLate();
    }),
  );
  await expect(call).rejects.toMatchObject(refused);
  expect(await stored()).toEqual([]);
  expect(db.pool.idleCount).toBe(db.pool.totalCount);
});

test('what has written once goes to its end, late or not', async () => {
  await callOf(async (beLate) => {
    await db.transaction((tx) => tx.query(sql`insert into guarded values ('one')`));
    beLate();
    await insert('two');
    await db.transaction((tx) => tx.query(sql`insert into guarded values ('three')`));
  });
  expect(await stored()).toEqual(['one', 'three', 'two']);
});

test.each([
  ['a read', () => db.query(sql`select 1`), 0],
  ['a transaction that reads', () => db.transaction((tx) => tx.query(sql`select 1`)), 0],
  ['a write', () => insert('one'), 1],
  ['a transaction that writes', () => db.transaction((tx) => tx.query(sql`insert into guarded values ('two')`)), 1],
  [
    'a transaction that is rolled back',
    () =>
      db
        .transaction(async (tx) => {
          await tx.query(sql`insert into guarded values ('three')`);
          throw new Error('no');
        })
        .catch(() => undefined),
    0,
  ],
  [
    'a write that is refused',
    () => db.query(sql`insert into guarded values ((1 / 0)::text)`).catch(() => undefined),
    0,
  ],
])('%s is noted as begun once it has been committed', async (_name, work, times) => {
  await callOf(work);
  expect(noteBegun).toHaveBeenCalledTimes(times);
});

test('a connection that is lost under a commit leaves open what was done, one that is refused does not', async () => {
  await db.query(sql`create function die() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`);
  await db.query(sql`create constraint trigger dies after insert on guarded deferrable initially deferred
    for each row when (new.name = 'lost') execute function die()`);
  const writing = (name: string, to = db) =>
    callOf(() => to.transaction((tx) => tx.query(sql`insert into guarded values (${name})`)));
  await expect(writing('lost')).rejects.toMatchObject({ ...refused, begun: true });
  // What was lost stays so, whatever becomes of other writes of the call.
  const lostAnd = (then: () => Promise<unknown>) =>
    callOf(async () => {
      await insert('lost').catch(() => undefined);
      await then();
    });
  const refusedWrite = () => db.query(sql`insert into guarded values ((1 / 0)::text)`).catch(() => undefined);
  for (const failure of [unavailable(), new AppError('rate_limited'), new AppError('request_timeout')]) {
    const failing = lostAnd(async () => {
      await refusedWrite();
      throw failure;
    });
    await expect(failing).rejects.toMatchObject({ ...refused, begun: true });
  }
  const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:9/none', applicationName: 'test' });
  await expect(writing('away', away)).rejects.toMatchObject({ ...refused, begun: false });
  await expect(callOf(() => away.query(sql`insert into guarded values ('x')`))).rejects.toMatchObject({ begun: false });
  await away.close();
});

test('a write for several calls is refused by none, and is noted by each that goes on after it', async () => {
  await callOf(async (beLate) => {
    beLate();
    await sharedWrites(() => insert('shared'));
    expect(noteBegun).not.toHaveBeenCalled();
    noteShared();
    expect(noteBegun).toHaveBeenCalledTimes(1);
    await insert('own');
  });
  expect(await stored()).toEqual(['own', 'shared']);
  await expect(callOf(() => sharedWrites(() => insert('lost')))).rejects.toMatchObject({ ...refused, begun: true });
});

test('a late call may still read', async () => {
  const call = callOf(async (beLate) => {
    beLate();
    return db.transaction((tx) => tx.query(sql`select 1 as one`), { isolation: 'repeatable read' });
  });
  expect(await call).toEqual([{ one: 1 }]);
});

test('work for several calls, and work that a call left running, is not refused', async () => {
  let left: Promise<unknown> = Promise.resolve();
  let answered = (): void => undefined;
  const answer = new Promise<void>((resolve) => (answered = resolve));
  await callOf(async (beLate) => {
    beLate();
    await uncounted(() => insert('shared'));
    left = answer.then(() => insert('left'));
  });
  answered();
  await left;
  expect(await stored()).toEqual(['left', 'shared']);
});

test.each([
  ['insert into a values (1)', true],
  ['\n  Update a set b = 1', true],
  ['delete from a', true],
  ['with gone as (delete from a returning b) select b from gone', true],
  ['with found as (select deleted_at from updates) select 1 from found', false],
  ['select 1', false],
  ['savepoint swap', false],
  ['create table a ()', true],
])('%s writes: %s', (text, writes) => {
  expect(isWriting(raw(text).text)).toBe(writes);
});
