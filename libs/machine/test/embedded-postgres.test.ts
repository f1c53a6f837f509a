import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { connectAsSuperuser, startEmbeddedPostgres } from '../src/embedded-postgres.mjs';
import { endProcessesOf } from '../src/leftovers.mjs';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? it : it.skip;
const othersReachClone =
  isRoot && spawnSync('/bin/sh', ['-c', 'cd "$0"', __dirname], { uid: NOBODY, gid: NOBODY }).status === 0;
const asAnotherUser = othersReachClone ? it : it.skip;

async function ask<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(sql);
    return rows as T[];
  } finally {
    await client.end();
  }
}

interface Started {
  child: ChildProcess;
  pid: number;
  url: string;
  clusterDir: string;
  log(): string;
}

/** A process of its own that runs the server, so that it can be killed. */
function inProcess(dataDir: string, identity: { uid?: number; gid?: number } = {}): Promise<Started> {
  const child = spawn(process.execPath, [join(__dirname, 'stand-ins/embedded.mjs'), dataDir], {
    cwd: '/',
    // Another user may not write where this one does.
    env: { ...process.env, TMPDIR: dirname(dataDir) },
    ...identity,
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  return new Promise((settle, fail) => {
    child.once('exit', () => fail(new Error(log)));
    child.stdout.once('data', (line) => settle({ child, log: () => log, ...JSON.parse(String(line)) }));
  });
}

describe('the embedded PostgreSQL', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-embedded-'));
    chmodSync(folder, 0o711);
  });

  afterEach(async () => {
    await endProcessesOf(folder);
    rmSync(folder, { recursive: true, force: true });
  });

  it('keeps data over a restart, asks for the password, and is gone when removed', async () => {
    const dataDir = join(folder, 'postgres');
    const first = await startEmbeddedPostgres({ dataDir, settings: { max_connections: '20' } });
    await ask(first.url('postgres'), 'create table kept as select 1 as one');
    await expect(ask(first.url('postgres', 'postgres', 'wrong'), 'select 1')).rejects.toThrow(/password/);
    await first.stop();
    expect(await first.exited).toEqual({ code: 0, signal: null });

    const second = await startEmbeddedPostgres({ dataDir, port: first.port });
    expect(await ask(second.url('postgres'), 'select one from kept')).toEqual([{ one: 1 }]);
    expect(statSync(join(dataDir, 'superuser-password')).mode & 0o777).toBe(0o600);
    await second.remove();
    expect(existsSync(dataDir)).toBe(false);
  });

  it.each(['new', 'old'])('is reached while the password changes and the server has the %s one', async (known) => {
    const dataDir = join(folder, 'postgres');
    const server = await startEmbeddedPostgres({ dataDir });
    const file = join(dataDir, 'superuser-password');
    const old = readFileSync(file, 'utf8').trim();
    writeFileSync(file, `changed\n${old}\n`);
    if (known === 'new') await ask(server.url('postgres'), `alter role postgres password 'changed'`);
    const client = await connectAsSuperuser(dataDir);
    await client.end();
    expect(client.password).toBe(known === 'new' ? 'changed' : old);
    await server.stop();
    const again = await startEmbeddedPostgres({ dataDir });
    expect(await ask(again.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }]);
    writeFileSync(file, 'neither\n');
    await expect(connectAsSuperuser(dataDir)).rejects.toThrow(/password/);
    await again.remove();
  });

  it('ends the server that a killed process left on the cluster', async () => {
    const dataDir = join(folder, 'postgres');
    const killed = await inProcess(dataDir);
    await ask(killed.url, 'create table kept as select 1 as one');
    killed.child.kill('SIGKILL');

    const next = await inProcess(dataDir);
    expect(next.pid).not.toBe(killed.pid);
    expect(next.log()).toContain(`ending PostgreSQL ${killed.pid}, left behind by an earlier run`);
    expect(await ask(next.url, 'select one from kept')).toEqual([{ one: 1 }]);
  });

  it('is not misled by a stale record whose number another process has', async () => {
    const dataDir = join(folder, 'postgres');
    const first = await startEmbeddedPostgres({ dataDir });
    const record = readFileSync(join(first.clusterDir, 'postmaster.pid'), 'utf8');
    await first.stop();
    writeFileSync(join(first.clusterDir, 'postmaster.pid'), record.replace(/^\d+/, String(process.pid)));
    const second = await startEmbeddedPostgres({ dataDir });
    await second.remove();
  });

  it('refuses a cluster of another major version in one line', async () => {
    const dataDir = join(folder, 'postgres');
    mkdirSync(join(dataDir, 'cluster'), { recursive: true });
    writeFileSync(join(dataDir, 'cluster', 'PG_VERSION'), '15\n');
    writeFileSync(join(dataDir, 'superuser-password'), 'secret\n');
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(
      /^the cluster in \S+ belongs to PostgreSQL 15, and the installed server is 18: [^\n]+$/,
    );
  });

  asRoot('(needs root) below a 0700 folder puts the cluster where its user can reach it, and says so', async () => {
    chmodSync(folder, 0o700);
    const dataDir = join(folder, 'postgres');
    const lines: string[] = [];
    const server = await startEmbeddedPostgres({ dataDir, log: (line: string) => lines.push(line) });
    try {
      expect(server.clusterDir).toMatch(/^\/var\/lib\/switchyard\/postgres-/);
      expect(lines).toContainEqual(`PostgreSQL's user cannot reach ${dataDir}; its files go to ${server.clusterDir}`);
      await server.stop();
      const again = await startEmbeddedPostgres({ dataDir });
      expect(again.clusterDir).toBe(server.clusterDir);
      await again.stop();
    } finally {
      await server.remove();
    }
    expect(existsSync(server.clusterDir)).toBe(false);
  });

  asAnotherUser(
    '(needs root, and a clone that others reach) runs as an ordinary user, whose folder stays private',
    async () => {
      chmodSync(folder, 0o700);
      chownSync(folder, NOBODY, NOBODY);
      const server = await inProcess(join(folder, 'postgres'), { uid: NOBODY, gid: NOBODY });
      expect(server.clusterDir).toBe(join(folder, 'postgres', 'cluster'));
      expect(statSync(server.clusterDir).uid).toBe(NOBODY);
      expect(await ask(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    },
  );
});
