import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type OwnKafka, ownKafka } from '@switchyard/testkit';
import { addressVariable, httpVariable, SERVICES } from '../../../../../deploy/catalogue.mjs';
import { run } from '../../../../../deploy/local/commands.mjs';
import { openDataFolder } from '../../../../../deploy/local/data-folder.mjs';
import { readEnvironment } from '../../../../../deploy/local/environment.mjs';
import { mainOf, prepareInstallation } from '../../../../../deploy/local/steps/installation.mjs';
import { serviceUnit, untilReady } from '../../../../../deploy/local/steps/services.mjs';
import { connectAsSuperuser, startEmbeddedPostgres } from '../../../../../libs/machine/src/embedded-postgres.mjs';
import { freePort } from '../../../../../libs/machine/src/ports.mjs';
import { rootToken, type SystemClient, systemClient } from '../../e2e/support/system';
import { balancer } from './balancer';

const root = resolve(__dirname, '../../../../..');

/** How long a pod goes on once its address is gone: `preStop` of the charts. */
const preStopMs = 5_000;
/** How long the address of a process that has died stays: the node notices its end, and the cluster passes it on. */
const noticeMs = 1_000;
/** On a busy machine, on which all start at the same time. */
const readyWithinMs = 300_000;

type Service = (typeof SERVICES)[number];
type Running = Awaited<ReturnType<ReturnType<typeof serviceUnit>['start']>>;

/** One of the processes of a service. */
export interface Replica {
  /** As in `packages-2`. */
  readonly name: string;
  readonly service: string;
  /** Takes its address away, has it drain as a pod does, and starts it again; returns its exit code. */
  roll(): Promise<number | null>;
  /** Kills it, and starts it again; `died` is called once it has ended, while its address is still there. */
  kill(died: () => void): Promise<void>;
  /** Has it stand still for a while, in milliseconds, with its connections and its address. */
  hang(forMs: number): Promise<void>;
}

/** An installation whose services have several processes each. */
export interface ReplicatedSystem {
  readonly client: SystemClient;
  readonly kafka: OwnKafka;
  readonly replicas: readonly Replica[];
  /** Ends PostgreSQL at once, without a checkpoint, and starts it again; `died` is called in between. */
  restartPostgres(died: () => void): Promise<void>;
  /** Has all processes of PostgreSQL stand still for a while, in milliseconds; returns once it answers again. */
  hangPostgres(forMs: number): Promise<void>;
  /** Runs a sub-command of a service's program; fails with a code other than 0. */
  command(service: string, ...args: string[]): Promise<string>;
  close(): Promise<void>;
}

const find = (name: string): Service => SERVICES.find((one) => one.name === name) as Service;

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

/** Starts `count` processes of each service, at 127.0.0.1, 127.0.0.2, …, over PostgreSQL and Kafka of their own. */
export async function startReplicas(count: number): Promise<ReplicatedSystem> {
  const data = mkdtempSync(join(tmpdir(), 'switchyard-replicas-'));
  // PostgreSQL, run as another user by root, must be able to pass.
  chmodSync(data, 0o711);
  const closing: (() => Promise<unknown>)[] = [async () => rmSync(data, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    return await start(count, data, closing, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  count: number,
  data: string,
  closing: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<ReplicatedSystem> {
  const { signal } = new AbortController();
  const step = async <T>(_title: string, work: (note: (text: string) => void) => T | Promise<T>): Promise<T> =>
    work(() => undefined);
  openDataFolder(data);
  const kafka = await ownKafka();
  closing.push(() => kafka.close());
  const postgresOptions = { dataDir: join(data, 'postgres'), settings: { max_connections: String(160 * count) } };
  let postgres = await startEmbeddedPostgres(postgresOptions);
  closing.push(() => postgres.remove());

  const taken = new Set<number>();
  const [gatewayPort, entrance] = [await freePort(taken), await freePort(taken)];
  const ports: Record<string, { http: number; grpc: number }> = {};
  for (const { name } of SERVICES) ports[name] = { http: await freePort(taken), grpc: await freePort(taken) };
  const url = `http://127.0.0.1:${entrance}`;
  const settings = readEnvironment(
    {
      PORT: String(gatewayPort),
      SWITCHYARD_DATA: data,
      SWITCHYARD_EXTERNAL_URL: url,
      SWITCHYARD_ROOT_TOKEN: rootToken,
      KAFKA_BROKERS: kafka.brokers.join(','),
    },
    { root, cwd: root },
  );
  const environment = await prepareInstallation({
    root,
    settings,
    server: { url: postgres.url, source: 'the embedded PostgreSQL' },
    ports,
    env: { ...process.env, NODE_ENV: 'test', SWITCHYARD_APPLICATION_LIMITS: '0', SWITCHYARD_DRAIN_SECONDS: '60' },
    step,
    signal,
  });

  const namesFile = join(data, 'names.json');
  const addresses: Record<string, string[]> = Object.fromEntries(SERVICES.map(({ name }) => [name, []]));
  const publish = (): void => {
    writeFileSync(`${namesFile}.new`, JSON.stringify(addresses));
    renameSync(`${namesFile}.new`, namesFile);
  };
  const appear = (service: string, host: string): void => {
    addresses[service]?.push(host);
    publish();
  };
  const vanish = (service: string, host: string): void => {
    addresses[service] = (addresses[service] ?? []).filter((one) => one !== host);
    publish();
  };
  publish();

  const portsOf = (name: string) => ports[name] as { http: number; grpc: number };
  const logs = join(data, 'logs');
  mkdirSync(logs, { recursive: true });

  function replica(service: Service, number: number): Replica & { start(): Promise<void>; stop(): Promise<void> } {
    const name = `${service.name}-${number}`;
    const host = `127.0.0.${number}`;
    const logFile = join(logs, `${name}.log`);
    const unit = serviceUnit({
      name,
      main: mainOf(root, service),
      root,
      logFile,
      show: () => undefined,
      env: {
        ...environment(service),
        HOST: host,
        ...(service.public ? { HTTP_HOST: host } : {}),
        ...Object.fromEntries(
          service.peers.map((peer) => [addressVariable(peer), `${peer}.every.test:${portsOf(peer).grpc}`]),
        ),
        ...Object.fromEntries(
          service.httpPeers.map((peer) => [httpVariable(peer), `http://${peer}.one.test:${portsOf(peer).http}`]),
        ),
        NODE_OPTIONS: `--require ${join(__dirname, 'names.cjs')}`,
        SWITCHYARD_TEST_NAMES: namesFile,
      },
    });
    let running: Running | undefined;
    const begin = async (): Promise<void> => {
      running = await unit.start();
      const url = `http://${host}:${portsOf(service.name).http}/-/readiness`;
      const ended = running.exited.then(({ code }) => {
        throw new Error(`${name} ended with ${code} as it started: ${readFileSync(logFile, 'utf8').slice(-1_000)}`);
      });
      await Promise.race([
        ended,
        untilReady({ name, url, timeoutMs: readyWithinMs, lastError: unit.lastError, signal }),
      ]);
      appear(service.name, host);
    };
    const signalled = async (how: NodeJS.Signals): Promise<number | null> => {
      const { pid, exited } = running as Running;
      process.kill(pid as number, how);
      return (await exited).code;
    };
    return {
      name,
      service: service.name,
      start: begin,
      stop: async () => running?.stop(),
      async roll() {
        vanish(service.name, host);
        await pause(preStopMs);
        const code = await signalled('SIGTERM');
        await begin();
        return code;
      },
      async kill(died) {
        await signalled('SIGKILL');
        died();
        await pause(noticeMs);
        vanish(service.name, host);
        await begin();
      },
      async hang(forMs) {
        const { pid } = running as Running;
        process.kill(pid as number, 'SIGSTOP');
        await pause(forMs);
        process.kill(pid as number, 'SIGCONT');
      },
    };
  }

  const all = SERVICES.flatMap((service) => Array.from({ length: count }, (_, at) => replica(service, at + 1)));
  closing.push(() => Promise.all(all.map((one) => one.stop())));
  await Promise.all(all.map((one) => one.start()));

  const inFront = await balancer(entrance, () =>
    (addresses.gateway ?? []).map((host) => ({ host, port: gatewayPort })),
  );
  closing.push(() => inFront.close());
  const client = systemClient({ url, data });
  closing.push(() => client.disconnect());
  return {
    client,
    kafka,
    replicas: all,
    async restartPostgres(died) {
      const { port } = postgres;
      process.kill(postgres.pid, 'SIGQUIT');
      await postgres.exited;
      died();
      postgres = await startEmbeddedPostgres({ ...postgresOptions, port });
    },
    async hangPostgres(forMs) {
      const { pid } = postgres;
      process.kill(pid, 'SIGSTOP');
      // What it has started before has a process group of its own each.
      const stopped = [pid, ...childrenOf(pid)];
      for (const one of stopped.slice(1)) process.kill(one, 'SIGSTOP');
      await pause(forMs);
      for (const one of stopped) process.kill(one, 'SIGCONT');
      // It answers when it has let in all who have come meanwhile.
      const client = await connectAsSuperuser(postgresOptions.dataDir);
      await client.end();
    },
    command: (service, ...args) =>
      run(process.execPath, [mainOf(root, find(service)), ...args], {
        cwd: root,
        env: { ...environment(find(service)), LOG_LEVEL: 'silent' },
      }),
    close,
  };
}
