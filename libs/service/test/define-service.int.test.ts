import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from '@switchyard/config';
import { openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { embeddedLog, eventMigrations, logMigrations } from '@switchyard/events';
import { command, defineService, type RunningService, type Service, startService } from '@switchyard/service';
import { type TestDatabase, testDatabase, testIdentities } from '@switchyard/testkit';
import { runCommand } from '../src/command';

const order: string[] = [];
const migrationSets = [{ schema: 'public', directory: join(__dirname, 'migrations') }, eventMigrations];

const service = defineService({
  name: 'things',
  variables: { THINGS_AT_ONCE: z.coerce.number().int().default(3) },
  migrationSets,
  peers: ['alerts'],
  needs: {},
  areas: (given) => [
    {
      start: () => {
        order.push(`lower starts with ${given.config.THINGS_AT_ONCE}`);
        return [{ close: async () => void order.push('job ends') }];
      },
      drain: () => void order.push('drains'),
      close: async () => void order.push('lower closes'),
    },
    {
      http: [{ methods: ['GET'], path: /^\/projects\/(\d+)\/things$/, run: async () => undefined }],
      ready: async () => {
        const [row] = await given.db.query<{ count: number }>(sql`select count(*)::int as count from things`);
        if (row?.count === 7) throw new Error('too many');
      },
      start: () => {
        order.push(`upper starts after a call of ${typeof given.peer('alerts').client}`);
        return [];
      },
    },
  ],
});

let home: TestDatabase;
let log: TestDatabase;
let folder: string;
let running: RunningService | undefined;

beforeAll(async () => {
  home = await testDatabase({ sets: service.migrationSets });
  log = await testDatabase({ sets: [logMigrations] });
  folder = mkdtempSync(join(tmpdir(), 'switchyard-things-'));
});
afterEach(async () => {
  await running?.close(100);
  running = undefined;
  order.length = 0;
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await home.close();
  await log.close();
});

const environment = () => ({
  DATABASE_URL: home.url,
  LOG_DATABASE_URL: log.url,
  ALERTS_ADDRESS: '127.0.0.1:1',
  SWITCHYARD_EXTERNAL_URL: 'https://forge.example//',
  SWITCHYARD_IDENTITY_KEY_FILE: 'unread',
  SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: 'unread',
});

async function start(replaced: Parameters<Service<never>['compose']>[2] = {}) {
  const identities = testIdentities(['things', 'gateway']);
  const config = service.readConfig(environment());
  const context = { signer: identities.signer('things'), trusted: identities.trusted };
  running = await startService(config, context, await service.compose(config, context, replaced));
  return running;
}

it('reads the variables of every service, of its peers and its own', () => {
  expect(service.variables).toEqual(expect.arrayContaining(['DATABASE_URL', 'ALERTS_ADDRESS', 'THINGS_AT_ONCE']));
  expect(service.readConfig(environment())).toMatchObject({
    THINGS_AT_ONCE: 3,
    SWITCHYARD_EXTERNAL_URL: 'https://forge.example',
  });
  expect(() => service.readConfig({ THINGS_AT_ONCE: 'many' })).toThrow(/ALERTS_ADDRESS.*THINGS_AT_ONCE/s);
});

it('starts areas in their order, and closes jobs before what the areas opened', async () => {
  await start();
  expect(order).toEqual(['lower starts with 3', 'upper starts after a call of function']);
  await running?.close(100);
  expect(order.slice(2)).toEqual(['drains', 'job ends', 'lower closes']);
});

it('is ready while its database and its areas are', async () => {
  const { httpPort } = await start();
  const ready = () => fetch(`http://127.0.0.1:${httpPort}/-/readiness`);
  expect((await ready()).status).toBe(200);
  const db = openDatabase({ url: home.url, applicationName: 'things test' });
  await db.query(sql`insert into things select generate_series(1, 7)`);
  expect((await ready()).status).toBe(503);
  await db.query(sql`delete from things`);
  await db.close();
});

it('leaves a replaced bus open', async () => {
  const bus = embeddedLog({ url: log.url, clientId: 'test' });
  await start({ bus });
  await running?.close(100);
  await expect(bus.publish([])).resolves.not.toThrow();
  await bus.close();
});

it('refuses a peer that it does not declare', async () => {
  const curious = defineService({
    name: 'curious',
    variables: {},
    migrationSets,
    peers: [] as readonly 'alerts'[],
    needs: {},
    areas: ({ peer }) => [{ close: async () => peer('alerts').close() }],
  });
  const identities = testIdentities(['curious']);
  const context = { signer: identities.signer('curious'), trusted: identities.trusted };
  const parts = await curious.compose(curious.readConfig(environment()), context);
  await expect(parts.close()).rejects.toThrow('curious does not declare alerts among its peers');
});

it('refuses a database that is not migrated', async () => {
  const empty = await testDatabase({ sets: [] });
  const config = service.readConfig({ ...environment(), DATABASE_URL: empty.url });
  const identities = testIdentities(['things']);
  const context = { signer: identities.signer('things'), trusted: identities.trusted };
  await expect(service.compose(config, context)).rejects.toThrow(/migrat/);
  await empty.close();
});

it('ends a start with a line, and the exit code of a refused configuration', async () => {
  const umask = process.umask();
  jest.replaceProperty(process, 'argv', ['node', 'main.js']);
  jest.replaceProperty(process, 'env', { ...environment(), THINGS_AT_ONCE: 'many' });
  const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`ended with ${code}`);
  });
  await expect(service.run({ stopTelemetry: async () => undefined })).rejects.toThrow('ended with 78');
  expect(said.mock.calls).toEqual([[expect.stringMatching(/^things: THINGS_AT_ONCE: [^\n]+\n$/)]]);
  jest.restoreAllMocks();
  process.umask(umask);
});

describe('a sub-command', () => {
  const lines: string[] = [];
  const count = command({
    usage: '[--twice]',
    variables: { THINGS_FACTOR: z.coerce.number().default(1) },
    async run({ config, db, write }, args) {
      const [row] = await db.query<{ count: number }>(sql`select count(*)::int as count from things`);
      write(`${(row?.count ?? 0) * config.THINGS_FACTOR} ${args.join(' ')}`);
      return args.length;
    },
  });
  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    runCommand(count, {
      name: 'things',
      sets: service.migrationSets,
      args,
      write: (line) => void lines.push(line),
      environment: { ...environment(), ...more },
    });

  it('gets the database, its arguments and its variables, and gives the exit code', async () => {
    expect(await run(['--twice'], { THINGS_FACTOR: '2' })).toBe(1);
    expect(lines).toEqual(['0 --twice']);
  });

  it('names the variable at fault', async () => {
    await expect(run([], { DATABASE_URL: '' })).rejects.toThrow('DATABASE_URL: is missing');
    await expect(run([], { THINGS_FACTOR: 'x' })).rejects.toThrow('THINGS_FACTOR');
  });
});
