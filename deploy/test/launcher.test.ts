import { type ChildProcess, spawn } from 'node:child_process';
import { hkdfSync } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import pg from 'pg';
import { endProcessesOf } from '../../libs/machine/src/leftovers.mjs';
import { freePort } from '../../libs/machine/src/ports.mjs';
import { SERVICES } from '../catalogue.mjs';
import { LOG_DATABASE } from '../local/services.mjs';

const NAMES = SERVICES.map(({ name }) => name);
const OWNERS = SERVICES.filter(({ database }) => database);
const WITH_BLOBS = SERVICES.filter(({ data }) => data === 'blobs').map(({ name }) => name);

/** A clone whose services are stand-ins. */
function clone(): string {
  const root = mkdtempSync(join(tmpdir(), 'switchyard-launcher-'));
  chmodSync(root, 0o711);
  symlinkSync(join(__dirname, '../../node_modules'), join(root, 'node_modules'));
  for (const name of NAMES) {
    const folder = join(root, 'services', name);
    mkdirSync(join(folder, 'dist'), { recursive: true });
    copyFileSync(join(__dirname, 'stand-ins/service.cjs'), join(folder, 'dist', 'main.js'));
  }
  return root;
}

/** An address with the password of the file that it names, as our services read it. */
function withPassword(written: string): string {
  const address = new URL(written);
  address.password = readFileSync(address.searchParams.get('password_file')!, 'utf8').trim();
  address.search = '';
  return address.href;
}

interface Launched {
  child: ChildProcess;
  port: number;
  output(): string;
  /** Settles when the launcher says that everything runs; rejects when it ends before. */
  running: Promise<void>;
  exited: Promise<number | null>;
}

async function start(root: string, env: Record<string, string> = {}): Promise<Launched> {
  const port = Number(env.PORT ?? (await freePort()));
  const child = spawn(process.execPath, [join(__dirname, 'stand-ins/launch.mjs'), root], {
    // The launcher's own choice of the log is tested, also where the suite runs over Kafka.
    env: { ...process.env, KAFKA_BROKERS: '', PORT: String(port), SWITCHYARD_DATA: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout!.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr!.on('data', (chunk) => {
    output += chunk;
  });
  const exited = new Promise<number | null>((settle) => child.once('close', settle));
  const running = new Promise<void>((settle, fail) => {
    child.stdout!.on('data', () => output.includes('Switchyard is running') && settle());
    exited.then(() => fail(new Error(output)));
  });
  running.catch(() => {});
  return { child, port, output: () => output, running, exited };
}

interface Seen {
  pid: number;
  env: Record<string, string>;
}

async function seenBy(port: number | string): Promise<Seen> {
  const response = await fetch(`http://127.0.0.1:${port}/environment`);
  return (await response.json()) as Seen;
}

const read = (root: string, file: string) => readFileSync(join(root, '.switchyard', file), 'utf8');
const journal = (root: string) => readFileSync(join(root, 'journal'), 'utf8').trim().split('\n');
const givenTo = (root: string, name: string): Record<string, string> =>
  JSON.parse(readFileSync(join(root, `${name}.json`), 'utf8'));
const modeOf = (root: string, file: string) => statSync(join(root, '.switchyard', file)).mode & 0o777;
/** What of a folder others may read or write. As root they may pass where PostgreSQL's own user must. */
function openedTo(folder: string): string[] {
  const passable = process.getuid?.() === 0 ? ['', 'postgres'] : [];
  return ['', ...(readdirSync(folder, { recursive: true }) as string[])].filter((path) => {
    const { mode } = lstatSync(join(folder, path));
    return (mode & 0o077 & (passable.includes(path) ? ~0o011 : ~0)) !== 0;
  });
}

const postgresPid = (root: string) =>
  Number(
    read(root, 'logs/postgresql.log')
      .match(/\[(\d+)\] LOG: {2}starting/g)
      ?.at(-1)
      ?.match(/\d+/)?.[0],
  );

describe('the launcher', () => {
  let root: string;

  beforeEach(() => {
    root = clone();
  });

  afterEach(async () => {
    await endProcessesOf(root);
    rmSync(root, { recursive: true, force: true });
  });

  it('starts, restarts what dies, keeps its secrets, stops in order, and starts again on the same data', async () => {
    const first = await start(root);
    await first.running;
    const gateway = await seenBy(first.port);
    expect(journal(root).filter((line) => line.endsWith('migrate'))).toHaveLength(OWNERS.length);

    expect(gateway.env).toMatchObject({
      PORT: String(first.port),
      SWITCHYARD_TIER: 'ultimate',
      SWITCHYARD_EXTERNAL_URL: `http://127.0.0.1:${first.port}`,
      SWITCHYARD_SUPERVISED: '1',
      GROUPS_ADMIN_ADDRESS: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      MERGE_REQUESTS_HTTP_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
    expect(gateway.env.DATABASE_URL).toBeUndefined();
    const token = read(root, 'root-token').trim();
    expect(token).toMatch(/^glpat-[\w-]{20,}$/);
    expect(givenTo(root, 'groups-admin').SWITCHYARD_ROOT_TOKEN).toBe(token);
    for (const file of ['root-token', 'secret', 'database-passwords.json', 'keys/gateway.key']) {
      expect([file, modeOf(root, file)]).toEqual([file, 0o600]);
    }
    expect(Object.keys(JSON.parse(read(root, 'keys/public-keys.json')))).toEqual(NAMES);

    const service = await seenBy(new URL(gateway.env.MERGE_REQUESTS_HTTP_URL!).port);
    const own = new pg.Client({ connectionString: withPassword(service.env.DATABASE_URL!) });
    await own.connect();
    const { rows } = await own.query(
      `select current_database() as database, current_user as role,
         current_setting('fsync') || current_setting('full_page_writes') || current_setting('synchronous_commit') as durable`,
    );
    await own.query('create table kept (id int)');
    await own.end();
    expect(rows).toEqual([
      { database: 'switchyard_merge_requests', role: 'switchyard_merge_requests', durable: 'ononon' },
    ]);
    const foreign = new pg.Client({
      connectionString: withPassword(service.env.DATABASE_URL!).replace(
        /\/switchyard_merge_requests$/,
        '/switchyard_collaboration',
      ),
    });
    await expect(foreign.connect()).rejects.toThrow(/permission denied/);

    process.kill(service.pid, 'SIGKILL');
    const database = postgresPid(root);
    process.kill(database, 'SIGKILL');
    await eventually(
      async () => {
        const again = await seenBy(service.env.HTTP_PORT!);
        expect(again.pid).not.toBe(service.pid);
        expect(postgresPid(root)).not.toBe(database);
        const client = new pg.Client({ connectionString: withPassword(again.env.DATABASE_URL!) });
        client.on('error', () => {});
        await client.connect();
        await client.query('select from kept');
        await client.end();
      },
      { within: 30_000 },
    );
    expect(first.output()).toMatch(/merge-requests ended by SIGKILL; starting it again/);

    const began = Date.now();
    first.child.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    expect(Date.now() - began).toBeLessThan(10_000);
    const order = journal(root).filter((line) => line.endsWith(' stop'));
    expect(order).toHaveLength(NAMES.length);
    expect(order[0]).toBe('gateway stop');
    expect(await endProcessesOf(root)).toEqual([]);

    const second = await start(root);
    await second.running;
    expect(givenTo(root, 'groups-admin').SWITCHYARD_ROOT_TOKEN).toBe(token);
  });

  it('gives each process the secrets that it needs and no others', async () => {
    const operator = {
      SWITCHYARD_ROOT_TOKEN: 'given-token-of-the-operator',
      SWITCHYARD_SECRET: 'given-secret-of-the-operator-itself',
      SWITCHYARD_ENCRYPTION_SECRETS: 'a-newer-secret-for-what-is-encrypted',
      SMTP_URL: 'smtp://user:word@127.0.0.1',
      S3_BUCKET: 'bucket',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'word',
      AWS_SESSION_TOKEN: 'word',
      OTEL_SERVICE_NAME: 'for all',
    };
    const strange = { PGPASSWORD: 'word', CI_TOKEN: 'word', npm_config_token: 'word', SWITCHYARD_TOKEN: 'word' };
    const launched = await start(root, { ...operator, ...strange });
    await launched.running;

    const holders = (variable: string) => NAMES.filter((name) => givenTo(root, name)[variable] !== undefined);
    expect(
      Object.fromEntries([...Object.keys(operator), ...Object.keys(strange)].map((one) => [one, holders(one)])),
    ).toEqual({
      SWITCHYARD_ROOT_TOKEN: ['groups-admin'],
      SWITCHYARD_SECRET: ['groups-admin'],
      SWITCHYARD_ENCRYPTION_SECRETS: ['groups-admin', 'merge-requests', 'imports-exports'],
      SMTP_URL: ['collaboration'],
      S3_BUCKET: WITH_BLOBS,
      S3_ACCESS_KEY_ID: WITH_BLOBS,
      S3_SECRET_ACCESS_KEY: WITH_BLOBS,
      AWS_SESSION_TOKEN: WITH_BLOBS,
      OTEL_SERVICE_NAME: NAMES,
      PGPASSWORD: [],
      CI_TOKEN: [],
      npm_config_token: [],
      SWITCHYARD_TOKEN: [],
    });
    expect(holders('DATABASE_URL')).toEqual(OWNERS.map(({ name }) => name));
    expect(holders('LOG_DATABASE_URL')).toEqual(OWNERS.map(({ name }) => name));
    expect(holders('SWITCHYARD_ALERT_DIGEST_KEY_FILE')).toEqual(['alerts']);
    expect(holders('SWITCHYARD_MAIL_LINKS_KEY_FILE')).toEqual(['collaboration']);
    expect(holders('SWITCHYARD_MERGE_REQUESTS_SECRETS_KEY_FILE')).toEqual(['merge-requests']);
    // The key of an installation made before it was derived here.
    expect(read(root, 'keys/alert-digest.key').trim()).toBe(
      Buffer.from(hkdfSync('sha256', operator.SWITCHYARD_SECRET, '', 'switchyard alert integration key', 32)).toString(
        'hex',
      ),
    );

    // A login each, in the event log too, where no role can do more than its records need.
    const logUrlOf = (name: string) => withPassword(givenTo(root, name).LOG_DATABASE_URL!);
    const { password: given, username } = new URL(logUrlOf('alerts'));
    expect([username, given]).toEqual([
      'switchyard_alerts',
      new URL(withPassword(givenTo(root, 'alerts').DATABASE_URL!)).password,
    ]);
    expect(new Set(OWNERS.map(({ name }) => new URL(logUrlOf(name)).password)).size).toBe(OWNERS.length);
    expect(read(root, 'logs/postgresql.log').match(/(?:FATAL|ERROR): .*/g)).toBeNull();
    const log = new pg.Client({ connectionString: logUrlOf('alerts') });
    await log.connect();
    await log.query('select from log.records');
    await expect(log.query('select from log._prisma_migrations')).rejects.toThrow(/permission denied/);
    await expect(log.query('drop table log.records')).rejects.toThrow(/must be owner/);
    await expect(log.query('create table log.more ()')).rejects.toThrow(/permission denied/);
    await log.end();
  });

  it.each([0o000, 0o022])('closes the data folder to other users, with umask %o', async (umask) => {
    const data = join(root, '.switchyard');
    // As an earlier release has left it.
    for (const folder of ['', 'blobs', 'repositories', 'keys']) mkdirSync(join(data, folder), { recursive: true });
    for (const file of ['format', 'secret', 'keys/alerts.key']) {
      writeFileSync(join(data, file), file === 'format' ? '1' : 'x'.repeat(32));
    }
    rmSync(join(data, 'keys/alerts.key'));
    for (const path of ['', 'blobs', 'repositories', 'keys', 'format', 'secret']) chmodSync(join(data, path), 0o777);
    const before = process.umask(umask);
    try {
      await (await start(root)).running;
    } finally {
      process.umask(before);
    }
    expect(openedTo(data)).toEqual([]);
  });

  it('starts no process to migrate what is migrated', async () => {
    const folder = join(root, 'services/alerts');
    const migrateWith = (name: string) => {
      const migration = join(folder, 'prisma/migrations', name);
      mkdirSync(migration, { recursive: true });
      writeFileSync(join(migration, 'migration.sql'), `create table t_${name} ()`);
    };
    const started = async () => {
      const launched = await start(root);
      await launched.running;
      launched.child.kill('SIGTERM');
      await launched.exited;
      const lines = journal(root);
      return [OWNERS[0]!.name, 'alerts', 'packages'].map(
        (name) => lines.filter((line) => line === `${name} migrate`).length,
      );
    };
    // The first of them migrates the event log too.
    for (const { name } of [OWNERS[0]!, { name: 'alerts' }]) {
      writeFileSync(
        join(root, 'services', name, 'dist/migrations.js'),
        `exports.migrationSets = require('@switchyard/service/migrations').migrationsOf(__dirname, { directory: false })`,
      );
      mkdirSync(join(root, 'services', name, 'prisma/migrations'), { recursive: true });
    }
    migrateWith('20260101000000_first');
    expect(await started()).toEqual([1, 1, 1]);
    expect(await started()).toEqual([1, 1, 2]);
    migrateWith('20260102000000_second');
    expect(await started()).toEqual([1, 2, 3]);
  });

  it('cleans up after its own kill -9', async () => {
    const first = await start(root);
    await first.running;
    const database = postgresPid(root);
    first.child.kill('SIGKILL');
    await first.exited;
    await eventually(() =>
      expect(journal(root).filter((line) => line.endsWith('disconnect'))).toHaveLength(NAMES.length),
    );
    expect(existsSync(`/proc/${database}`) || process.platform !== 'linux').toBe(true);

    const second = await start(root);
    await second.running;
    expect(second.output()).toContain('ended what an earlier run left behind: postgresql');
  });

  it('runs beside another instance, and refuses the same port or data folder in one line', async () => {
    const one = await start(root);
    await one.running;
    const other = join(root, 'other');

    const sameData = await start(root);
    const samePort = await start(root, { PORT: String(one.port), SWITCHYARD_DATA: other });
    expect(await sameData.exited).toBe(1);
    expect(sameData.output()).toMatch(/\nSWITCHYARD_DATA: \S+ is in use by another launcher \(process \d+\)\n$/);
    expect(await samePort.exited).toBe(1);
    expect(samePort.output()).toMatch(/\nPORT: \d+ is taken on 127\.0\.0\.1; set PORT to another one\n$/);

    const two = await start(root, { SWITCHYARD_DATA: other, SWITCHYARD_ROOT_TOKEN: 'given-token-of-the-operator' });
    await two.running;
    expect(givenTo(root, 'groups-admin').SWITCHYARD_ROOT_TOKEN).toBe('given-token-of-the-operator');
    expect(givenTo(root, 'groups-admin').SWITCHYARD_SECRET_FILE).toBe(join(other, 'secret'));
    expect(existsSync(join(other, 'root-token'))).toBe(false);
  });

  it('stops with one line when a process keeps dying', async () => {
    writeFileSync(
      join(root, 'services/collaboration/dist/main.js'),
      `if (process.argv[2] !== 'migrate') { console.error('Error: cannot go on'); process.exit(3); }`,
    );
    const launched = await start(root, { SWITCHYARD_RESTART_PAUSE_MS: '200' });
    expect(await launched.exited).toBe(1);
    expect(launched.output()).toMatch(
      /\ncollaboration died 5 times within a minute \(ended with exit code 3\); see \S+collaboration\.log\n$/,
    );
    expect(launched.output()).toContain('collaboration: Error: cannot go on');
    expect(await endProcessesOf(root)).toEqual([]);
  });

  it('ends at once with the line of a process that refuses its configuration', async () => {
    writeFileSync(
      join(root, 'services/collaboration/dist/main.js'),
      `if (process.argv[2] !== 'migrate') {
        require('node:fs').appendFileSync('starts', '1');
        console.error('collaboration: SMTP_URL: is not right');
        process.exit(78);
      }`,
    );
    const launched = await start(root);
    expect(await launched.exited).toBe(1);
    expect(launched.output()).toMatch(/\ncollaboration: SMTP_URL: is not right\n$/);
    expect(launched.output()).not.toContain('starting it again');
    expect(readFileSync(join(root, 'starts'), 'utf8')).toBe('1');
    expect(await endProcessesOf(root)).toEqual([]);
  });

  it('refuses the data folder of a newer release, and a secret that is not its own', async () => {
    mkdirSync(join(root, '.switchyard'));
    writeFileSync(join(root, '.switchyard/format'), '99\n');
    const newer = await start(root);
    expect(await newer.exited).toBe(1);
    expect(newer.output()).toMatch(/\nSWITCHYARD_DATA: \S+ was written by a newer release \(format 99, [^\n]+\)\n$/);

    writeFileSync(join(root, '.switchyard/format'), '1\n');
    writeFileSync(join(root, '.switchyard/secret-check'), 'another\n');
    const strange = await start(root);
    expect(await strange.exited).toBe(1);
    expect(strange.output()).toMatch(/\nSWITCHYARD_SECRET is not the secret that \S+ was made with\n$/);
  });

  it('names DATABASE_URL when that server cannot be reached', async () => {
    const port = await freePort();
    const launched = await start(root, { DATABASE_URL: `postgresql://admin:secret@127.0.0.1:${port}/postgres` });
    expect(await launched.exited).toBe(1);
    expect(launched.output()).toMatch(/\nDATABASE_URL: [^\n]*ECONNREFUSED[^\n]*\n$/);
    expect(launched.output()).not.toContain('secret@');
  });

  it('uses an existing server through DATABASE_URL', async () => {
    const launched = await start(root, { DATABASE_URL: process.env.TEST_DATABASE_URL!, KAFKA_BROKERS: 'kafka:9092' });
    await launched.running;
    const env = givenTo(root, 'alerts');
    expect(env.LOG_DATABASE_URL).toBeUndefined();
    expect(env.KAFKA_BROKERS).toBe('kafka:9092');
    expect(existsSync(join(root, '.switchyard/postgres'))).toBe(false);
    launched.child.kill('SIGTERM');
    await launched.exited;
    const admin = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
    await admin.connect();
    const { rows } = await admin.query('select datname from pg_database where datname = any($1) order by 1', [
      [...OWNERS.map(({ database }) => database), LOG_DATABASE],
    ]);
    for (const { datname } of rows) {
      await admin.query(`drop database "${datname}" with (force)`);
      await admin.query(`drop role "${datname}"`);
    }
    await admin.end();
    expect(rows).toHaveLength(OWNERS.length);
  });
});
