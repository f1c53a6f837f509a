import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from '../libs/machine/src/ports.mjs';
import { commandOf, processTree } from './cpu.mjs';

/** The clone that is measured. */
export const root = resolve(fileURLToPath(import.meta.url), '../..');

const rootToken = 'glpat-benchmarks-of-this-machine';
const startLimitMs = 15 * 60_000;

/** A folder below the system's temporary one that PostgreSQL's own user can reach, and how to remove it. */
export function temporaryFolder(name) {
  const path = mkdtempSync(join(tmpdir(), `switchyard-bench-${name}-`));
  chmodSync(path, 0o755);
  return {
    path,
    remove() {
      const location = join(path, 'data', 'postgres', 'location');
      if (existsSync(location)) rmSync(readFileSync(location, 'utf8').trim(), { recursive: true, force: true });
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/**
 * Runs the launcher until it says that the system is up.
 *
 * @param {object} options
 * @param {string} options.data data folder, may hold an earlier run's data
 * @param {NodeJS.ProcessEnv} [options.env] added to the environment
 * @param {string} [options.clone] the clone to run; this one by default
 * @param {string[]} [options.command] what starts it; the launcher itself by default
 */
export async function startInstallation({ data, env = {}, clone = root, command }) {
  const port = await freePort(new Set());
  const url = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const [file, ...args] = command ?? [process.execPath, join(clone, 'deploy/local/start.mjs')];
  const child = spawn(file, args, {
    cwd: clone,
    env: {
      ...process.env,
      LOG_LEVEL: 'warn',
      SWITCHYARD_APPLICATION_LIMITS: '0',
      ...env,
      PORT: String(port),
      SWITCHYARD_DATA: data,
      SWITCHYARD_ROOT_TOKEN: rootToken,
      SWITCHYARD_EXTERNAL_URL: url,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((settle) => child.once('exit', (code, signal) => settle({ code, signal })));
  let output = '';
  await new Promise((settle, reject) => {
    const timer = setTimeout(() => reject(new Error(`not up after ${startLimitMs / 1000} s\n${output}`)), startLimitMs);
    const take = (chunk) => {
      output += chunk;
      if (!output.includes('Switchyard is running')) return;
      clearTimeout(timer);
      settle();
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    exited.then(({ code, signal }) => reject(new Error(`the launcher ended with ${code ?? signal}\n${output}`)));
  });
  const startMs = performance.now() - startedAt;

  const processes = () => JSON.parse(readFileSync(join(data, 'processes.json'), 'utf8'));
  const pidOf = (name) => processes().find((one) => one.name === name).pid;
  const cluster = existsSync(join(data, 'postgres/location'))
    ? readFileSync(join(data, 'postgres/location'), 'utf8').trim()
    : join(data, 'postgres/cluster');
  const postmaster = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  const password = readFileSync(join(data, 'postgres/superuser-password'), 'utf8').trim();
  const databaseUrl = (database) =>
    `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${postmaster[3]}/${database}`;

  /** One call of the public API; throws with the body unless the status is one of `expected`. */
  async function api(method, path, body, { token = rootToken, expected = [200, 201, 202, 204] } = {}) {
    const response = await fetch(`${url}/api/v4${path}`, {
      method,
      redirect: 'manual',
      headers: { 'PRIVATE-TOKEN': token, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!expected.includes(response.status)) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const json = (response.headers.get('content-type') ?? '').startsWith('application/json');
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  }

  return {
    url,
    data,
    rootToken,
    startMs,
    launcherPid: child.pid,
    output: () => output,
    pidOf,
    postmasterPid: Number(postmaster[0]),
    databaseUrl,
    api,
    /** A connection as superuser; its application name distinguishes it from the system's own. */
    async connect(database) {
      const client = new pg.Client({ connectionString: databaseUrl(database), application_name: 'switchyard-bench' });
      // Reported by the next query; without a listener a stopping server would end the benchmark before its own error is shown.
      client.on('error', () => {});
      await client.connect();
      return client;
    },
    /** Ends the system as Ctrl-C does; milliseconds until it had ended. */
    async stop() {
      const since = performance.now();
      // npm does not wait for the launcher when npm gets a signal: the launcher gets it, and npm ends after the launcher.
      const launcher = processTree(child.pid).findLast((pid) => /start\.mjs/.test(commandOf(pid)));
      if (launcher !== undefined) process.kill(launcher, 'SIGTERM');
      await exited;
      return performance.now() - since;
    },
  };
}
