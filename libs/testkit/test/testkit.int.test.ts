import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually, freePort, kafkaSkipReason, tcpGate, testDatabase } from '../src';

test('databases of one set of migrations are equal, fresh and apart; the template is built once however many ask', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-testkit-'));
  mkdirSync(join(directory, '20260101000000_one'));
  writeFileSync(
    join(directory, '20260101000000_one', 'migration.sql'),
    `create table numbers (n int); -- ${directory}`,
  );
  const sets = [{ schema: 'public', directory }];
  const homes = await Promise.all(Array.from({ length: 5 }, () => testDatabase({ sets })));
  const databases = homes.map(({ url }) => openDatabase({ url, applicationName: 'test', poolSize: 1 }));
  await databases[0]?.query(sql`insert into numbers values (1)`);
  const counts = await Promise.all(databases.map((db) => db.one(sql`select count(*)::int as n from numbers`)));
  expect(counts).toEqual([{ n: 1 }, { n: 0 }, { n: 0 }, { n: 0 }, { n: 0 }]);
  const url = homes[0]?.url ?? '';
  // Dropped although a connection is open.
  await homes[0]?.close();
  const gone = openDatabase({ url, applicationName: 'test' });
  await expect(gone.query(sql`select 1`)).rejects.toMatchObject({ code: '3D000' });
  await Promise.all([...databases, gone].map((db) => db.close()));
  await Promise.all(homes.slice(1).map((home) => home.close()));
  rmSync(directory, { recursive: true });
});

test('eventually gives the first success, or the last failure when the time is over', async () => {
  let calls = 0;
  const third = () => {
    calls += 1;
    if (calls < 3) throw new Error(`call ${calls}`);
    return calls;
  };
  expect(await eventually(third)).toBe(3);
  await expect(eventually(() => Promise.reject(new Error('never')), { within: 50 })).rejects.toThrow('never');
});

test('a gate passes bytes, refuses while it is shut, and passes again on the same port', async () => {
  const echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  const target = await freePort();
  await new Promise<void>((settle) => echo.listen(target, '127.0.0.1', settle));
  const gate = await tcpGate({ host: '127.0.0.1', port: target });
  const shout = () =>
    new Promise<string>((settle, fail) => {
      const socket = connect(gate.port, '127.0.0.1', () => socket.write('hello'));
      socket.once('error', fail);
      socket.once('data', (data) => {
        settle(data.toString());
        socket.destroy();
      });
    });
  expect(await shout()).toBe('hello');
  await gate.shut();
  await expect(shout()).rejects.toThrow('ECONNREFUSED');
  await gate.open();
  expect(await shout()).toBe('hello');
  await gate.close();
  await new Promise((settle) => echo.close(settle));
});

test('a run that is killed leaves no server and no files', async () => {
  const script = join(__dirname, '../jest/server.cjs');
  const run = spawn(
    process.execPath,
    [
      '-e',
      `require(${JSON.stringify(script)}).startServer('jest/postgres.mjs').then((server) => console.log(server.answer.url))`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const url = await new Promise<string>((settle) => createInterface({ input: run.stdout }).once('line', settle));
  const db = openDatabase({ url, applicationName: 'test' });
  const [row] = await db.query<{ folder: string }>(sql`select current_setting('data_directory') as folder`);
  const folder = row?.folder ?? '';
  expect(existsSync(folder)).toBe(true);
  run.kill('SIGKILL');
  await eventually(() => expect(existsSync(join(folder, '..'))).toBe(false), { within: 15_000 });
  await expect(db.query(sql`select 1`)).rejects.toMatchObject({ kind: 'unavailable' });
  await db.close();
});

test('a missing Kafka is a reason to skip, and a failure where it is required', () => {
  const { TEST_KAFKA, REQUIRE_KAFKA } = process.env;
  try {
    delete process.env.REQUIRE_KAFKA;
    process.env.TEST_KAFKA = 'java';
    expect(kafkaSkipReason()).toBeUndefined();
    process.env.TEST_KAFKA = 'none: no Java';
    expect(kafkaSkipReason()).toBe('no Java');
    process.env.REQUIRE_KAFKA = '1';
    expect(() => kafkaSkipReason()).toThrow(/no Java/);
  } finally {
    process.env.TEST_KAFKA = TEST_KAFKA;
    if (REQUIRE_KAFKA === undefined) delete process.env.REQUIRE_KAFKA;
    else process.env.REQUIRE_KAFKA = REQUIRE_KAFKA;
  }
});

test('the recorded times are those of files that are there', () => {
  const root = join(__dirname, '../../..');
  const seconds = JSON.parse(readFileSync(join(__dirname, '../jest/seconds.json'), 'utf8')) as object;
  expect(Object.keys(seconds).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
