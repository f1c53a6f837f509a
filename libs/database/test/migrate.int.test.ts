import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@switchyard/telemetry';
import { eventually, freePort, type TestDatabase, tcpGate, testDatabase } from '@switchyard/testkit';
import { assertMigrated, type Database, MigrationError, migrate, openDatabase } from '../src';
import { DatabaseWait } from '../src/database-wait';
import { sql } from '../src/sql';

let folder: string;
let home: TestDatabase;
let db: Database;

const put = (schema: string, name: string, script: string) => {
  mkdirSync(joinPath(folder, schema, name), { recursive: true });
  writeFileSync(joinPath(folder, schema, name, 'migration.sql'), script);
};

const sets = () => [
  { schema: 'extra', directory: joinPath(folder, 'extra') },
  { schema: 'public', directory: joinPath(folder, 'public') },
];

const run = () => migrate({ url: home.url, sets: sets() });
const check = () => assertMigrated({ url: home.url, sets: sets(), within: 0 });

beforeEach(async () => {
  folder = mkdtempSync(joinPath(tmpdir(), 'switchyard-migrate-'));
  put('extra', '20260101000000_own', 'create table own (id int);');
  put('public', '20260101000000_one', 'create table one (id int); insert into one values (1);');
  put('public', '20260102000000_two', 'create table two (id int);');
  home = await testDatabase();
  db = openDatabase({ url: home.url, applicationName: 'test' });
});

afterEach(async () => {
  await db.close();
  await home.close();
  rmSync(folder, { recursive: true });
});

test('applies each set in its schema, in order, once, and records it as Prisma does', async () => {
  await expect(check()).rejects.toThrow(/20260101000000_own of schema extra is not applied/);
  expect(await run()).toEqual(['20260101000000_own', '20260101000000_one', '20260102000000_two']);
  expect(await run()).toEqual([]);
  await check();
  expect(await db.query(sql`select * from extra.own`)).toEqual([]);
  const rows = await db.query(
    sql`select migration_name, length(checksum) as length, finished_at is not null as finished, applied_steps_count from _prisma_migrations order by started_at`,
  );
  expect(rows).toEqual([
    { migration_name: '20260101000000_one', length: 64, finished: true, applied_steps_count: 1 },
    { migration_name: '20260102000000_two', length: 64, finished: true, applied_steps_count: 1 },
  ]);
});

test('several processes at once apply everything once', async () => {
  const applied = await Promise.all([run(), run(), run(), run()]);
  expect(applied.flat()).toHaveLength(3);
  expect(await db.query(sql`select * from one`)).toHaveLength(1);
});

test('a failing migration leaves nothing of itself, and the next run tries it again', async () => {
  put('public', '20260103000000_three', 'create table three (id int); select 1 / 0;');
  await expect(run()).rejects.toThrow(/20260103000000_three of schema public failed: division by zero/);
  expect(await db.one(sql`select to_regclass('three') as found`)).toEqual({ found: null });
  put('public', '20260103000000_three', 'create table three (id int);');
  expect(await run()).toEqual(['20260103000000_three']);
});

test('refuses an edited migration', async () => {
  await run();
  put('public', '20260101000000_one', 'create table one (id bigint);');
  await expect(run()).rejects.toThrow(/20260101000000_one of schema public was edited/);
  await expect(check()).rejects.toThrow(MigrationError);
});

test('refuses a database of a newer version', async () => {
  put('public', '20260103000000_three', 'create table three (id int);');
  await run();
  rmSync(joinPath(folder, 'public', '20260103000000_three'), { recursive: true });
  await expect(run()).rejects.toThrow(/newer version: it needs one that knows migration 20260103000000_three/);
  await expect(check()).rejects.toThrow(/newer version/);
});

test('accepts a newer database as long as what was added is additive', async () => {
  const newer = (day: string, header: string) =>
    put('public', `202601${day}000000_newer`, `-- Adds a table.\n${header}create table newer_${day} (id int);`);
  const older = (day: string) => rmSync(joinPath(folder, 'public', `202601${day}000000_newer`), { recursive: true });
  newer('03', '-- additive\n');
  newer('04', '-- additive\n');
  await run();
  older('04');
  older('03');
  await check();
  expect(await run()).toEqual([]);
  newer('03', '-- additive\n');
  newer('04', '-- additive\n');
  expect(await run()).toEqual([]);
  await db.query(sql`update _prisma_migrations set finished_at = null where migration_name like '%_newer'`);
  older('04');
  older('03');
  await check();
  await db.query(sql`update _prisma_migrations set finished_at = now() where finished_at is null`);
  newer('05', '');
  await run();
  older('05');
  await expect(check()).rejects.toThrow(/it needs one that knows migration 20260105000000_newer of schema public$/);
});

test('refuses to go on after a half-applied migration until it is marked as rolled back', async () => {
  put('public', '20260103000000_three', '-- no transaction\ncreate table three (id int);\nselect 1 / 0;');
  await expect(run()).rejects.toThrow(/division by zero/);
  await expect(run()).rejects.toThrow(/20260103000000_three of schema public was applied by half/);
  await expect(check()).rejects.toThrow(/applied by half/);
  await db.query(sql`update _prisma_migrations set rolled_back_at = now() where finished_at is null`);
  put('public', '20260103000000_three', 'create table if not exists three (id int);');
  expect(await run()).toEqual(['20260103000000_three']);
});

describe('a database that is not there yet', () => {
  const waits = 'the database cannot be reached; waiting for it';
  const warned = jest.spyOn(logger, 'warn').mockReturnValue(undefined);
  const informed = jest.spyOn(logger, 'info').mockReturnValue(undefined);
  afterEach(() => jest.clearAllMocks());
  afterAll(() => jest.restoreAllMocks());
  const at = (port: number) => Object.assign(new URL(home.url), { port: String(port) }).href;
  const place = (port: number) => ({ host: '127.0.0.1', port, variable: 'DATABASE_URL' });
  const refused = (port: number) => [{ ...place(port), reason: `connect ECONNREFUSED 127.0.0.1:${port}` }, waits];
  const there = (port: number) => [place(port), 'the database is there'];

  test('is waited for, with a line when the wait begins and when it ends', async () => {
    await run();
    const { hostname, port: target } = new URL(home.url);
    const gate = await tcpGate({ host: hostname, port: Number(target) });
    await gate.shut();
    const waiting = assertMigrated({ url: at(gate.port), sets: sets() });
    await eventually(() => expect(warned).toHaveBeenCalled());
    // Some tries more.
    await pause(700);
    await gate.open();
    await waiting;
    expect(warned.mock.calls).toEqual([refused(gate.port)]);
    expect(informed.mock.calls).toEqual([there(gate.port)]);
    await gate.close();
  });

  test('is waited for no longer than said', async () => {
    const port = await freePort();
    await expect(assertMigrated({ url: at(port), sets: sets(), within: 300 })).rejects.toThrow(/ECONNREFUSED/);
    expect(informed).not.toHaveBeenCalled();
  });

  test('and does not even refuse is told of while the first try lasts', async () => {
    await run();
    const { hostname, port: target } = new URL(home.url);
    const gate = await tcpGate({ host: hostname, port: Number(target) });
    gate.freeze();
    const waiting = assertMigrated({ url: at(gate.port), sets: sets() });
    await eventually(() => expect(warned).toHaveBeenCalled());
    expect(warned.mock.calls).toEqual([[{ ...place(gate.port), reason: 'does not answer' }, waits]]);
    // Longer than a connection is waited for.
    await pause(6_000);
    gate.thaw();
    await waiting;
    expect(informed.mock.calls).toEqual([there(gate.port)]);
    await gate.close();
  });

  test('is told of again each 30 s, and under the name of its own variable', () => {
    let now = 0;
    const wait = new DatabaseWait(
      { connectionString: 'postgresql://a:secret@away:5432/b' },
      'LOG_DATABASE_URL',
      () => now,
    );
    for (; now < 70_000; now += 1_000) wait.failed(new Error('away'));
    wait.reached();
    const line = { host: 'away', port: 5432, variable: 'LOG_DATABASE_URL' };
    expect(warned.mock.calls).toEqual(Array(3).fill([{ ...line, reason: 'away' }, waits]));
    expect(informed.mock.calls).toEqual([[line, 'the database is there']]);
  });

  test('is none where the first try succeeds', async () => {
    await run();
    await check();
    expect(warned).not.toHaveBeenCalled();
    expect(informed).not.toHaveBeenCalled();
  });
});
