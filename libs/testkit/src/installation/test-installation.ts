import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { type EventBus, type EventDefinition, embeddedLog, logMigrations } from '@switchyard/events';
import { Access, Access_Kind, type Actor } from '@switchyard/protos/rpc/v1/identity';
import {
  anonymous,
  type CallOptions,
  connect,
  forwardedMethod,
  identityKey,
  type Peer,
  type RpcClient,
  type ServiceDefinition,
  type ServiceImplementation,
  signClaims,
  startServer,
} from '@switchyard/rpc';
import type { ReplacedEdges, Service } from '@switchyard/service';
import { type RunningService, startService } from '@switchyard/service';
import { testDatabase } from '../database';
import { eventually } from '../eventually';
import { type TestIdentities, testIdentities } from '../identities';
import { freePort } from '../port';
import { serviceProcesses } from '../service-process';
import { DirectoryModel } from './directory-model';
import { directoryService } from './directory-service';
import { publish } from './publish';

/** A service as its `service.ts` defines it; the shape of its own variables does not matter here. */
// biome-ignore lint/suspicious/noExplicitAny: services differ in their variables
export type TestedService = Service<any>;

/** What an installation is built from. */
export interface InstallationOptions {
  readonly service: TestedService;
  /** The program of the built service, for `startProcess`. */
  readonly main?: string;
  /** Processes beside the gateway that call it. */
  readonly callers?: readonly string[];
  /** Stand-ins for the services that it calls, beside the directory; all answer at one address. */
  peers?(directory: DirectoryModel): readonly ServiceImplementation[];
  /** Variables of its own; `folder` is its data folder, where the files that they name may be written. */
  environment?(folder: string): Record<string, string>;
  readonly replaced?: ReplacedEdges;
}

/** A service on a real database and a real event log, called as processes call it, beside stand-ins for the services that it calls. */
export interface TestInstallation {
  readonly db: Database;
  readonly directory: DirectoryModel;
  readonly bus: EventBus;
  readonly identities: TestIdentities;
  /** Its data folder. */
  readonly folder: string;
  /** A client as a process uses it, the gateway by default. */
  client<T extends ServiceDefinition>(definition: T, as?: string): RpcClient<T>;
  /** Options of a call by the gateway for a user, where `access` says to what its path led. */
  as(user: { id: number; admin?: boolean } | undefined, access?: Partial<Access> & { id: number }): CallOptions;
  /** Publishes an event, as the relay of its owner would; settles with its id. */
  publish<Payload>(event: EventDefinition<Payload>, payload: Payload, id: string): Promise<string>;
  /** A request as the gateway forwards it to the internal HTTP port, by default for a Developer of the project. */
  forward(method: string, path: string, given: ForwardedRequest): Promise<Response>;
  /** Starts the service in this process; it has been started once already. */
  start(environment?: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
  /** Starts the service once more on the same database; its client is the gateway's. */
  startBeside(): Promise<{ client: TestInstallation['client']; close(): Promise<void> }>;
  /** Starts the service as a process of its own, reached by `client` while it is stopped here. */
  startProcess(environment?: Record<string, string>): Promise<ChildProcess>;
  close(): Promise<void>;
}

/** A request that the gateway forwards. */
export interface ForwardedRequest {
  /** The project that the path names; absent where it names none. */
  readonly project?: number;
  /** The group that it names, in place of a project. */
  readonly group?: number;
  /** From which it comes; by default that is not known. */
  readonly address?: string;
  readonly user?: number;
  /** Who asks, in place of a user; their level on what the path names is 0 where they have none. */
  readonly actor?: { readonly is: Partial<Actor>; readonly level: number };
  readonly caller?: string;
  readonly body?: RequestInit['body'];
  readonly headers?: Record<string, string>;
}

/** The public address of every test installation. */
export const externalUrl = 'https://forge.example';

const bytes = (message: unknown): Buffer => (message instanceof Buffer ? message : Buffer.alloc(0));

/** The check of health that every process answers, without its contents. */
const health = {
  check: {
    path: '/grpc.health.v1.Health/Check',
    requestStream: false,
    responseStream: false,
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  },
} as const;

const developer = 30;
const maintainer = 40;

/** Builds the surroundings of a service and starts it in this process. */
export async function testInstallation(options: InstallationOptions): Promise<TestInstallation> {
  const { service, main = '', callers = [], replaced } = options;
  const folder = mkdtempSync(join(tmpdir(), `switchyard-${service.name}-`));
  const home = await testDatabase({ sets: service.migrationSets });
  const log = await testDatabase({ sets: [logMigrations] });
  const db = openDatabase({ url: home.url, applicationName: `${service.name} test` });
  const identities = testIdentities([...new Set(['gateway', service.name, ...callers])]);
  identities.writeTo(folder);
  const context = { signer: identities.signer(service.name), trusted: identities.trusted };
  const directory = new DirectoryModel();
  const peers = await startServer({
    host: '127.0.0.1',
    port: 0,
    trusted: identities.trusted,
    services: [directoryService(directory, service.name), ...(options.peers?.(directory) ?? [])],
  });
  const grpcPort = await freePort();
  const httpPort = await freePort();
  const environment = {
    HOST: '127.0.0.1',
    GRPC_PORT: String(grpcPort),
    HTTP_PORT: String(httpPort),
    DATABASE_URL: home.url,
    LOG_DATABASE_URL: log.url,
    SWITCHYARD_DATA: folder,
    SWITCHYARD_IDENTITY_KEY_FILE: join(folder, `${service.name}.pem`),
    SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: join(folder, 'keys.json'),
    SWITCHYARD_EXTERNAL_URL: externalUrl,
    ...addressesOf(service, `127.0.0.1:${peers.port}`),
    ...options.environment?.(folder),
  };
  const bus = embeddedLog({ url: log.url, clientId: 'test' });
  const connected = new Map<string, Peer>(
    ['gateway', ...callers].map((name) => [name, connect(`127.0.0.1:${grpcPort}`, identities.signer(name))]),
  );
  const processes = serviceProcesses(main, environment);
  const run = async (more: Record<string, string>): Promise<RunningService> => {
    const config = service.readConfig({ ...environment, ...more });
    return startService(config, context, await service.compose(config, context, replaced));
  };
  let running: RunningService | undefined;

  const installation: TestInstallation = {
    db,
    directory,
    bus,
    identities,
    folder,
    client: (definition, as = 'gateway') => {
      const peer = connected.get(as);
      if (peer === undefined) throw new Error(`${as} is not among the callers`);
      return peer.client(definition);
    },
    as: (user, access) => ({
      requestId: 'test',
      actor: actorOf(user),
      directorySequence: directory.changes.length,
      ...(access === undefined ? {} : { access: accessTo(access) }),
    }),
    publish: (event, payload, id) => publish(bus, event, payload, id),
    async forward(method, path, { project, group, user = 7, actor, caller = 'gateway', address, body, headers }) {
      const kind = group === undefined ? Access_Kind.KIND_PROJECT : Access_Kind.KIND_GROUP;
      const id = group ?? project;
      const { requestId, ...given } = installation.as(
        { id: user },
        id === undefined ? undefined : { id, kind, level: actor?.level ?? developer },
      );
      const identity = actor === undefined ? given : { ...given, actor: { ...anonymous, ...actor.is } };
      const signed = signClaims(identities.signer(caller), forwardedMethod(method, path), requestId, {
        ...identity,
        address,
      });
      return fetch(`http://127.0.0.1:${httpPort}${path}`, {
        method,
        // As the gateway: what a service redirects is for the client to follow.
        redirect: 'manual',
        headers: { ...headers, [identityKey]: signed.toString('base64') },
        // A body that is a stream wants it said.
        ...(body === undefined ? {} : ({ body, duplex: 'half' } as RequestInit)),
      });
    },
    async start(more = {}) {
      running = await run(more);
    },
    async stop() {
      await running?.close(100);
      running = undefined;
    },
    async startBeside() {
      const twin = await run({ GRPC_PORT: '0', HTTP_PORT: '0' });
      const peer = connect(`127.0.0.1:${twin.grpcPort}`, identities.signer('gateway'));
      return {
        client: (definition) => peer.client(definition),
        async close() {
          peer.close();
          await twin.close(100);
        },
      };
    },
    async startProcess(more) {
      const child = await processes.start(more);
      // A channel waits between its attempts to connect, and refuses calls meanwhile: a test calls once.
      await eventually(() =>
        Promise.all([...connected.values()].map((peer) => peer.client(health).check({}, { requestId: 'test' }))),
      );
      return child;
    },
    async close() {
      for (const peer of connected.values()) peer.close();
      await installation.stop();
      await processes.kill();
      await peers.close(100);
      await bus.close();
      await db.close();
      await home.close();
      await log.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await installation.start();
  return installation;
}

/** Every address that the service reads leads to the stand-ins. */
const addressesOf = (service: TestedService, address: string): Record<string, string> =>
  Object.fromEntries(service.variables.filter((name) => name.endsWith('_ADDRESS')).map((name) => [name, address]));

const actorOf = (user: { id: number; admin?: boolean } | undefined): Actor =>
  user === undefined ? anonymous : { ...anonymous, userId: user.id, admin: user.admin ?? false, scopes: ['api'] };

/** Access to a private project, as a Maintainer by default. */
const accessTo = (access: Partial<Access> & { id: number }): Access =>
  Access.fromPartial({
    kind: Access_Kind.KIND_PROJECT,
    visibility: 'private',
    tier: 'ultimate',
    level: maintainer,
    fullPath: 'group/project',
    ...access,
  });
