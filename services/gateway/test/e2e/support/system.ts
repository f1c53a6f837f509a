import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Gitlab } from '@gitbeaker/rest';
import { eventually, freePort } from '@switchyard/testkit';
import { Client } from 'pg';
import { replyValidator, routeOf } from '../../support/reply-validator';

/** Notes the fields that say something, objects by dotted name, arrays by what they hold. */
function note(value: unknown, into: Set<string>, prefix = ''): void {
  if (Array.isArray(value)) {
    for (const item of value) note(item, into, prefix);
    if (value.length > 0) into.add(prefix);
    return;
  }
  if (typeof value === 'object' && value !== null) {
    if (prefix !== '' && Object.keys(value).length > 0) into.add(prefix);
    for (const [name, inner] of Object.entries(value)) note(inner, into, prefix === '' ? name : `${prefix}.${name}`);
    return;
  }
  if (value !== null && value !== false && value !== 0 && value !== '') into.add(prefix);
}

const root = resolve(__dirname, '../../../../..');
const run = promisify(execFile);
const validate = replyValidator();

/** The reply to one request. */
export interface ApiReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: journeys look into replies freely
  readonly body: any;
}

/** An installation as it is used, whoever runs it. */
export interface SystemClient {
  readonly url: string;
  readonly data: string;
  /** Token of the administrator. */
  readonly rootToken: string;
  /** A request below `/api/v4`, whose body is JSON unless it is a file or a form; a reply that breaks its OpenAPI component fails the test. */
  api(
    method: string,
    path: string,
    options?: { token?: string | undefined; body?: unknown; headers?: Record<string, string> },
  ): Promise<ApiReply>;
  /** Fields of each OpenAPI component that `api` has seen at a value that says something: not null, false, 0 or empty. */
  readonly seen: ReadonlyMap<string, ReadonlySet<string>>;
  /** The unmodified GitLab client. */
  gitlab(token?: string): InstanceType<typeof Gitlab<false>>;
  /** Runs the git client; never asks for credentials. */
  git(args: string[], cwd?: string): Promise<{ stdout: string; stderr: string }>;
  /** Address of a project's repository, with a token as password. */
  remote(fullPath: string, token?: string): string;
  /** Runs SQL in a service's database as the server's superuser; `service` as in `merge_requests`. */
  query(service: string, sql: string): Promise<Record<string, unknown>[]>;
  /** Closes what `query` has opened; it opens it again. */
  disconnect(): Promise<void>;
}

/** A running installation, started as a user starts it: by the launcher, on a data folder of its own. */
export interface System extends SystemClient {
  /** Runs `npm run admin` on the installation; fails with a code other than 0, or where the command dies. */
  admin(...args: string[]): Promise<{ stdout: string; stderr: string }>;
  /** Arms one fault point in whichever process passes it first. */
  arm(fault: string): void;
  /** True once the armed fault has fired. */
  fired(): boolean;
  /** Kills the launcher, and with it everything, without warning. */
  kill(): Promise<void>;
  /** Starts again on the same data folder, from another checkout where one is given. */
  start(checkout?: string): Promise<void>;
  /** Stops in order. */
  stop(): Promise<void>;
  /** Stops in order and removes the data folder. */
  close(): Promise<void>;
}

const isUpload = (body: unknown): boolean => body instanceof FormData || body instanceof Uint8Array;

/** The token of the administrator of each test's installation. */
export const rootToken = 'glpat-end-to-end-root-token-0001';

/** Uses the installation at `url`, whose embedded PostgreSQL lies in `data`. */
export function systemClient({ url, data }: { url: string; data: string }): SystemClient {
  const seen = new Map<string, Set<string>>();

  /** A connection of each database, kept: what waits for a system to settle asks a dozen questions a time, and a login costs 20 ms. */
  const connections = new Map<string, Promise<Client>>();
  async function connectTo(service: string): Promise<Client> {
    const at = join(data, 'postgres');
    const cluster = existsSync(join(at, 'location'))
      ? readFileSync(join(at, 'location'), 'utf8').trim()
      : join(at, 'cluster');
    const client = new Client({
      host: '127.0.0.1',
      port: Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[3]),
      user: 'postgres',
      password: readFileSync(join(at, 'superuser-password'), 'utf8').trim(),
      database: `switchyard_${service}`,
    });
    await client.connect();
    return client;
  }
  function databaseOf(service: string): Promise<Client> {
    const known = connections.get(service);
    if (known !== undefined) return known;
    const opened = connectTo(service);
    const forget = () => connections.get(service) === opened && connections.delete(service);
    connections.set(service, opened);
    opened.then((client) => client.on('error', forget).on('end', forget), forget);
    return opened;
  }
  async function disconnect(): Promise<void> {
    for (const opened of [...connections.values()]) await opened.then((client) => client.end()).catch(() => undefined);
    connections.clear();
  }

  return {
    url,
    data,
    rootToken,
    seen,
    async api(method, path, { token = rootToken, body, headers = {} } = {}) {
      const response = await fetch(`${url}/api/v4${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(token === '' ? {} : { 'PRIVATE-TOKEN': token }),
          ...(body === undefined || isUpload(body) ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isUpload(body) ? (body as never) : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
      const problems = isJson || text === '' ? validate(method, path, response.status, parsed) : [];
      if (problems.length > 0)
        throw new Error(`${method} ${path} ${response.status} breaks its contract: ${problems.join('; ')}`);
      const component = [routeOf(method, path)?.returns[response.status]].flat()[0];
      if (component !== undefined) {
        const fields = seen.get(component) ?? new Set<string>();
        seen.set(component, fields);
        note(parsed, fields);
      }
      return { status: response.status, headers: response.headers, text, body: parsed };
    },
    gitlab: (token = rootToken) => new Gitlab({ host: url, token }),
    git: (args, cwd) =>
      run('git', args, {
        cwd,
        maxBuffer: 64 << 20,
        env: {
          PATH: process.env.PATH,
          HOME: data,
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_TERMINAL_PROMPT: '0',
          GIT_AUTHOR_NAME: 'Ada',
          GIT_AUTHOR_EMAIL: 'ada@example.com',
          GIT_COMMITTER_NAME: 'Ada',
          GIT_COMMITTER_EMAIL: 'ada@example.com',
          LC_ALL: 'C',
        },
      }),
    remote: (fullPath, token = rootToken) => `${url.replace('://', `://oauth2:${token}@`)}/${fullPath}.git`,
    query: async (service, sql) => (await (await databaseOf(service)).query(sql)).rows,
    disconnect,
  };
}

/** Starts an installation of a checkout, by default this one; `env` adds to the launcher's environment. */
export async function startSystem(env: Record<string, string> = {}, from = root): Promise<System> {
  const data = mkdtempSync(join(tmpdir(), 'switchyard-e2e-'));
  const faultFile = join(data, 'fault');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const client = systemClient({ url, data });
  let launcher: ChildProcess | undefined;
  let output = '';

  const start = async (checkout = from): Promise<void> => {
    output = '';
    launcher = spawn(process.execPath, ['deploy/local/start.mjs'], {
      cwd: checkout,
      env: {
        ...process.env,
        PORT: String(port),
        SWITCHYARD_DATA: data,
        SWITCHYARD_EXTERNAL_URL: url,
        SWITCHYARD_ROOT_TOKEN: rootToken,
        SWITCHYARD_APPLICATION_LIMITS: '0',
        NODE_ENV: 'test',
        FAULT_FILE: faultFile,
        LOG_LEVEL: 'info',
        DATABASE_URL: '',
        KAFKA_BROKERS: '',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    launcher.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    launcher.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    await eventually(
      () => {
        if (launcher?.exitCode !== null) throw new Error(`the launcher ended: ${output}`);
        if (!output.includes('Switchyard is running')) throw new Error(`not running yet: ${output}`);
      },
      // Another checkout is installed and built first.
      { within: checkout === root ? 120_000 : 900_000 },
    );
  };
  const ended = (): Promise<void> =>
    new Promise((done) =>
      launcher === undefined || launcher.exitCode !== null || launcher.signalCode !== null
        ? done()
        : launcher.once('exit', () => done()),
    );

  async function stop(): Promise<void> {
    await client.disconnect();
    launcher?.kill('SIGTERM');
    await ended();
  }

  await start().catch(async (error: unknown) => {
    // Nobody has it yet who could stop it.
    await stop();
    rmSync(data, { recursive: true, force: true });
    throw error;
  });
  return {
    ...client,
    admin: (...args) =>
      run(process.execPath, ['deploy/local/admin.mjs', ...args], {
        cwd: from,
        env: {
          ...process.env,
          FAULT_FILE: faultFile,
          DATABASE_URL: '',
          KAFKA_BROKERS: '',
          ...env,
          SWITCHYARD_DATA: data,
        },
      }),
    arm: (fault) => {
      rmSync(`${faultFile}.fired`, { force: true });
      writeFileSync(faultFile, fault);
    },
    fired: () => existsSync(`${faultFile}.fired`) && readFileSync(`${faultFile}.fired`, 'utf8') !== '',
    kill: async () => {
      await client.disconnect();
      launcher?.kill('SIGKILL');
      await ended();
    },
    start,
    stop,
    close: async () => {
      await stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
