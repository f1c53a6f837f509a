import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, type TestDatabase, testCertificate, testDatabase, tlsServer } from '@switchyard/testkit';
import pg from 'pg';
import { assertMigrated, openDatabase } from '../src';
import { sql } from '../src/sql';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-connection-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const check = (url: string) => assertMigrated({ url, sets: [], within: 0 });

describe('TLS', () => {
  const ours = testCertificate(folder, 'ours');
  const others = testCertificate(folder, 'others');
  const rubbish = join(folder, 'rubbish');
  const empty = join(folder, 'empty');
  writeFileSync(rubbish, 'no certificate\n');
  writeFileSync(empty, '\n');
  let server: TestDatabase;
  let plain: TestDatabase;
  const at = (parameters: string) => `${server.url}?${parameters}`;

  beforeAll(async () => {
    server = await tlsServer(ours);
    plain = await testDatabase();
  });
  afterAll(() => Promise.all([server?.close(), plain?.close()]));

  test('statements, notices and Prisma’s pool go by it', async () => {
    const url = at(`sslmode=verify-full&sslrootcert=${ours.certificate}`);
    await check(url);
    const db = openDatabase({ url, applicationName: 'secure' });
    const heard: unknown[] = [];
    const listening = new Promise<void>((settle) => {
      db.notices.listen('channel', (payload) => {
        heard.push(payload);
        settle();
      });
    });
    await listening;
    const { rows } = await db.pool.query(
      `select ssl, application_name from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'secure'`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect(rows.every(({ ssl }) => ssl)).toBe(true);
    expect(await db.one(sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`)).toEqual({ ssl: true });
    await db.close();
  });

  test.each<[string, () => string, RegExp]>([
    [
      'another CA',
      () => at(`sslmode=verify-full&sslrootcert=${others.certificate}`),
      /^DATABASE_URL: the certificate of the server is not accepted: /,
    ],
    [
      'no CA of ours',
      () => at('sslmode=verify-full'),
      /^DATABASE_URL: the certificate of the server is not accepted: /,
    ],
    [
      'a CA that does not parse',
      () => at(`sslmode=verify-full&sslrootcert=${rubbish}`),
      /^DATABASE_URL: sslrootcert: .+ contains no certificate in PEM$/,
    ],
    [
      'a CA that is not there',
      () => at(`sslmode=verify-full&sslrootcert=${rubbish}-`),
      /^DATABASE_URL: sslrootcert: .+ cannot be read \(ENOENT\)$/,
    ],
    [
      'a server without TLS',
      () => `${plain.url}?sslmode=verify-full&sslrootcert=${ours.certificate}`,
      /^DATABASE_URL: The server does not support SSL connections$/,
    ],
    [
      'a refused login',
      () => Object.assign(new URL(plain.url), { password: 'wrong' }).href,
      /^DATABASE_URL: password authentication failed/,
    ],
    [
      'a file with the password that is not there',
      () => `${plain.url}?password_file=${rubbish}-`,
      /^DATABASE_URL: password_file: .+ cannot be read \(ENOENT\)$/,
    ],
    [
      'an empty file with the password',
      () => `${plain.url}?password_file=${empty}`,
      /^DATABASE_URL: password_file: .+ is empty$/,
    ],
    [
      'a certificate without its key',
      () => at(`sslmode=verify-full&sslrootcert=${ours.certificate}&sslcert=${ours.certificate}`),
      /^DATABASE_URL: sslkey: must be set when sslcert is$/,
    ],
    [
      'a key without its certificate',
      () => at(`sslmode=verify-full&sslrootcert=${ours.certificate}&sslkey=${ours.key}`),
      /^DATABASE_URL: sslcert: must be set when sslkey is$/,
    ],
    [
      'the key of another certificate',
      () => at(`sslrootcert=${ours.certificate}&sslcert=${ours.certificate}&sslkey=${others.key}`),
      /^DATABASE_URL: sslkey: .+others\.key is not the key of .+ours\.pem$/,
    ],
  ])('%s ends the start', async (_, url, message) => {
    await expect(check(url())).rejects.toThrow(message);
  });

  test('a database that the role may not use ends the start', async () => {
    const name = new URL(plain.url).pathname.slice(1);
    const admin = new pg.Client(plain.url);
    await admin.connect();
    await admin.query(`create role "${name}_other" login password 'other'`);
    await admin.query(`revoke connect on database "${name}" from public`);
    const url = Object.assign(new URL(plain.url), { username: `${name}_other`, password: 'other' }).href;
    await expect(check(url)).rejects.toThrow(/^DATABASE_URL: permission denied for database/);
    await admin.query(`drop role "${name}_other"`);
    await admin.end();
  });

  test('a server that asks for certificates takes that of the role alone', async () => {
    const admin = new pg.Client(server.url);
    await admin.connect();
    const setting = async (name: string): Promise<string> => (await admin.query(`show ${name}`)).rows[0][name];
    await admin.query(`create role ours login password 'ours'`);
    const rules = ['hostssl all ours all scram-sha-256 clientcert=verify-full', 'host all all all scram-sha-256'];
    await admin.query(`copy (select unnest(array['${rules.join("', '")}'])) to '${await setting('hba_file')}'`);
    // Ours is its own CA.
    await admin.query(`alter system set ssl_ca_file = '${await setting('ssl_cert_file')}'`);
    await admin.query('select pg_reload_conf()');
    await eventually(async () => expect(await setting('ssl_ca_file')).not.toBe(''));
    await admin.end();
    const as = ({ certificate, key }: typeof ours) => `&sslcert=${certificate}&sslkey=${key}`;
    const url = (more: string) =>
      `${Object.assign(new URL(server.url), { username: 'ours', password: 'ours' }).href}?sslmode=verify-full&sslrootcert=${ours.certificate}${more}`;

    await check(url(as(ours)));
    const db = openDatabase({ url: url(as(ours)), applicationName: 'certified' });
    expect(await db.one(sql`select client_dn from pg_stat_ssl where pid = pg_backend_pid()`)).toEqual({
      client_dn: '/CN=ours',
    });
    await db.close();
    await expect(check(url(''))).rejects.toThrow(/^DATABASE_URL: connection requires a valid client certificate$/);
    await expect(check(url(as(others)))).rejects.toThrow(/^DATABASE_URL: the server does not accept .+ \(sslcert\): /);
  });

  test.each(['prefer', 'require', 'verify-ca'])(
    'sslmode=%s checks the certificate, without a warning',
    async (mode) => {
      const warned = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
      await check(at(`sslmode=${mode}&sslrootcert=${ours.certificate}`));
      await expect(check(at(`sslmode=${mode}&sslrootcert=${others.certificate}`))).rejects.toThrow(
        /^DATABASE_URL: the certificate of the server is not accepted: /,
      );
      expect(warned).not.toHaveBeenCalled();
      warned.mockRestore();
    },
  );

  test('a server that is away is waited for', async () => {
    const url = `postgresql://a:b@127.0.0.1:${await freePort()}/c`;
    await expect(check(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

/** Ends of the messages of a client: a type, a length, a body. */
function messages(buffer: Buffer): { whole: Buffer[]; rest: Buffer } {
  const whole: Buffer[] = [];
  let at = 0;
  while (buffer.length >= at + 5 && buffer.length >= at + 1 + buffer.readInt32BE(at + 1)) {
    const end = at + 1 + buffer.readInt32BE(at + 1);
    whole.push(buffer.subarray(at, end));
    at = end;
  }
  return { whole, rest: buffer.subarray(at) };
}

interface PoolOptions {
  /** Whether the session that was free longest goes first, as with `server_round_robin`; else the last that became free. */
  turns?: boolean;
  /** Sessions that are there at the start. */
  warm?: number;
  /** Sessions that there may be. */
  most?: number;
}

/**
 * What PgBouncer does with `pool_mode = transaction` and a user whom the server trusts: a client has a session of the
 * server while its transaction lasts.
 */
async function transactionPool(
  url: string,
  { turns = false, warm = 0, most = 30 }: PoolOptions,
): Promise<{ url: string; close(): void }> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const free: Socket[] = [];
  const waiting: ((session: Socket) => void)[] = [];
  let opened = 0;
  const welcome = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');
  const openSession = async (): Promise<Socket> => {
    opened += 1;
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    const { stream } = client.connection as unknown as { stream: Socket };
    stream.removeAllListeners('data');
    sockets.add(stream);
    return stream;
  };
  const take = async (): Promise<Socket> =>
    (turns ? free.shift() : free.pop()) ??
    (opened < most ? openSession() : new Promise((settle) => waiting.push(settle)));
  const giveBack = (session: Socket): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(session);
    else next(session);
  };
  for (let at = 0; at < warm; at += 1) free.push(await openSession());
  const server: Server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    let greeted = false;
    let received: Buffer = Buffer.alloc(0);
    let session: Socket | undefined;
    let turn = Promise.resolve();
    const ask = async (message: Buffer): Promise<void> => {
      session ??= await take();
      const one = session;
      const state = await new Promise<string>((settle) => {
        let answer: Buffer = Buffer.alloc(0);
        const pass = (chunk: Buffer): void => {
          client.write(chunk);
          answer = Buffer.concat([answer, chunk]);
          const last = messages(answer).whole.at(-1);
          if (last?.[0] !== 0x5a) return;
          one.off('data', pass);
          settle(String.fromCharCode(last[5] ?? 0));
        };
        one.on('data', pass);
        one.write(message);
      });
      if (state !== 'I') return;
      session = undefined;
      giveBack(one);
    };
    // Who goes within a transaction takes its session along.
    client.on('close', () => {
      turn = turn.then(() => {
        if (session === undefined) return;
        session.destroy();
        opened -= 1;
      });
    });
    client.on('data', (chunk) => {
      if (!greeted) {
        greeted = true;
        client.write(welcome);
        return;
      }
      const { whole, rest } = messages(Buffer.concat([received, chunk]));
      received = rest;
      for (const message of whole) {
        if (message[0] === 0x58) client.end();
        else turn = turn.then(() => ask(message));
      }
    });
  });
  const port = await freePort();
  await new Promise<void>((settle) => server.listen(port, '127.0.0.1', settle));
  target.host = `127.0.0.1:${port}`;
  return {
    url: target.href,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('a pool that shares sessions by transaction', () => {
  let home: TestDatabase;
  beforeAll(async () => {
    home = await testDatabase();
  });
  afterAll(() => home.close());
  const refusal = /^DATABASE_URL: .+ PgBouncer needs pool_mode = session$/;

  test.each<[string, PoolOptions]>([
    ['gives the last that became free', {}],
    ['takes them in turn', { turns: true, warm: 2 }],
    ['has one in turn for each client of the check', { turns: true, warm: 4 }],
    ['has one', { most: 1 }],
  ])('and %s is refused, with the reason', async (_, options) => {
    const pool = await transactionPool(home.url, options);
    await expect(check(pool.url)).rejects.toThrow(refusal);
    pool.close();
  });

  test('is refused each time while others use it', async () => {
    const pool = await transactionPool(home.url, {});
    let going = true;
    const others = Array.from({ length: 3 }, async () => {
      const client = new pg.Client({ connectionString: pool.url });
      client.on('error', () => undefined);
      await client.connect();
      while (going) await client.query('select pg_sleep(0.002)');
      await client.end();
    });
    for (let at = 0; at < 30; at += 1) await expect(check(pool.url)).rejects.toThrow(refusal);
    going = false;
    await Promise.all(others);
    pool.close();
  });
});

test('a setting of the connection that a pool does not take is named', async () => {
  const refusal = Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0');
  const head = Buffer.from([0x45, 0, 0, 0, refusal.length + 4]);
  const server = createServer((client) => {
    client.on('error', () => undefined).once('data', () => client.end(Buffer.concat([head, refusal])));
  });
  const port = await freePort();
  await new Promise<void>((settle) => server.listen(port, '127.0.0.1', settle));
  await expect(check(`postgresql://a:b@127.0.0.1:${port}/c`)).rejects.toThrow(
    'DATABASE_URL: unsupported startup parameter: statement_timeout; PgBouncer needs it in ignore_startup_parameters',
  );
  server.close();
});

describe('a password in a file', () => {
  let home: TestDatabase;
  const role = `passwords_${process.pid}`;
  const file = join(folder, 'password');
  const url = () => {
    const address = Object.assign(new URL(home.url), { username: role, password: '' });
    address.searchParams.set('password_file', file);
    return address.href;
  };
  const admin = async (statement: string): Promise<pg.QueryResult> => {
    const client = new pg.Client({ connectionString: home.url });
    await client.connect();
    return client.query(statement).finally(() => client.end());
  };

  beforeAll(async () => {
    home = await testDatabase();
    await admin(`create role ${role} login password 'first'`);
  });
  afterAll(async () => {
    await admin(`drop role ${role}`);
    await home.close();
  });

  test('changes while connections come and go, and none is refused', async () => {
    writeFileSync(file, 'first\n');
    await check(url());
    const outcomes: boolean[] = [];
    let going = true;
    const connecting = async () => {
      while (going) {
        const db = openDatabase({ url: url(), applicationName: 'passwords', poolSize: 1 });
        await db.one(sql`select 1 as one`).then(
          () => outcomes.push(true),
          () => outcomes.push(false),
        );
        await db.close();
      }
    };
    const all = Promise.all([connecting(), connecting(), connecting()]);
    for (const [old, next] of [
      ['first', 'second'],
      ['second', 'third'],
      ['third', 'fourth'],
    ]) {
      writeFileSync(file, `${next}\n${old}\n`);
      const before = outcomes.length;
      await admin(`alter role ${role} password '${next}'`);
      writeFileSync(file, `${next}\n`);
      await eventually(() => expect(outcomes.length).toBeGreaterThan(before + 3));
    }
    going = false;
    await all;
    expect(outcomes).not.toContain(false);
  });

  test.each([
    ['wrong', /^DATABASE_URL: password authentication failed/],
    ['', /password_file: .+ is empty$/],
  ])('%p in it ends the start', async (content, message) => {
    writeFileSync(file, content);
    await expect(check(url())).rejects.toThrow(message);
    // Nor does a connection stay that waits for a password.
    const waiting = `select from pg_stat_activity where state = 'starting'`;
    await eventually(async () => expect((await admin(waiting)).rowCount).toBe(0));
  });
});
