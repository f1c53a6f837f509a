import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
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

test('a gate passes bytes, holds them while it is frozen, refuses while it is shut, and passes again on the same port', async () => {
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
  gate.freeze();
  const held = shout();
  const passed = jest.fn();
  held.then(passed);
  await expect(eventually(() => expect(passed).toHaveBeenCalled(), { within: 100 })).rejects.toThrow();
  gate.thaw();
  expect(await held).toBe('hello');
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

describe('where Kafka comes from', () => {
  const { env } = process;
  afterEach(() => {
    process.env = env;
  });
  const given = (variables: Record<string, string>): void => {
    const { TEST_OWN_KAFKA, TEST_KAFKA_BROKERS, KAFKA_BROKERS, REQUIRE_KAFKA, ...others } = env;
    process.env = { ...others, ...variables };
  };

  test('a missing one is a reason to skip, and a failure where it is required', () => {
    given({ TEST_OWN_KAFKA: 'java' });
    expect(kafkaSkipReason()).toBeUndefined();
    given({ TEST_OWN_KAFKA: 'none: no Java' });
    expect(kafkaSkipReason()).toBe('no Java');
    given({ TEST_OWN_KAFKA: 'none: no Java', REQUIRE_KAFKA: '1' });
    expect(() => kafkaSkipReason()).toThrow(/no Java/);
  });

  test('a broker of the environment is not one of a test alone', () => {
    given({ TEST_OWN_KAFKA: 'none: no Java', KAFKA_BROKERS: 'kafka:9092' });
    expect(kafkaSkipReason()).toBeUndefined();
    expect(kafkaSkipReason('own')).toBe('no Java');
    given({ TEST_OWN_KAFKA: 'container', KAFKA_BROKERS: 'kafka:9092' });
    expect(kafkaSkipReason('own')).toBeUndefined();
  });
});

describe('a container engine that answers and cannot pull', () => {
  let engine: Server;
  const asked: string[] = [];
  beforeAll(async () => {
    engine = createHttpServer(({ method = '', url = '' }, response) => {
      asked.push(`${method} ${url}`);
      const answer = (status: number, body: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (url.endsWith('/info')) answer(200, { OperatingSystem: 'Debian', OSType: 'linux', Architecture: 'x86_64' });
      else if (url.includes('/images/create')) answer(500, { message: 'lookup registry.example: no such host' });
      else answer(404, { message: 'No such image' });
    }).listen(0, '127.0.0.1');
    await new Promise((settle) => engine.once('listening', settle));
  });
  afterAll(() => engine.close());

  /** Chooses servers as a run of Jest does, in a process of its own. */
  async function chosen(variables: Record<string, string>): Promise<{ status: unknown; printed: string }> {
    const { TEST_DATABASE_URL, KAFKA_BROKERS, REQUIRE_CONTAINERS, TESTCONTAINERS_HOST_OVERRIDE, ...others } =
      process.env;
    const setup = (name: string) => `require(${JSON.stringify(join(__dirname, '../jest', name))})()`;
    const script = `(async () => {
      await ${setup('global-setup.cjs')};
      console.log(new URL(process.env.TEST_DATABASE_URL).hostname, process.env.TEST_OWN_KAFKA.split(':')[0]);
      await ${setup('global-teardown.cjs')};
    })()`;
    const host = `tcp://127.0.0.1:${(engine.address() as AddressInfo).port}`;
    // The folder of a user has settings of testcontainers, which go before the environment.
    const HOME = mkdtempSync(join(tmpdir(), 'switchyard-engine-'));
    const child = spawn(process.execPath, ['-e', script], {
      env: { ...others, HOME, DOCKER_HOST: host, TEST_POSTGRES_IMAGE: 'registry.example/postgres:18', ...variables },
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
    const status = await new Promise((settle) => child.once('close', settle));
    rmSync(HOME, { recursive: true });
    return { status, printed };
  }

  test('gives way to the embedded servers, and is named in one line', async () => {
    const { status, printed } = await chosen({});
    expect(printed).toMatch(
      /^the container engine cannot pull .+no such host.*: tests use the embedded servers\n127\.0\.0\.1 (?:java|none)\n$/,
    );
    expect(status).toBe(0);
    expect(asked.some((one) => one.includes('fromImage=registry.example'))).toBe(true);
  });

  test('is a failure where containers are required', async () => {
    const { status, printed } = await chosen({ REQUIRE_CONTAINERS: '1' });
    expect(printed).toContain('containers are required (REQUIRE_CONTAINERS=1): the container engine cannot pull ');
    expect(status).not.toBe(0);
  });
});

test('the recorded times are those of files that are there', () => {
  const root = join(__dirname, '../../..');
  const seconds = JSON.parse(readFileSync(join(__dirname, '../jest/seconds.json'), 'utf8')) as object;
  expect(Object.keys(seconds).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
