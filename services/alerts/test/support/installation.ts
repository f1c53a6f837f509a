import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { type EventBus, type EventDefinition, embeddedLog, logMigrations } from '@switchyard/events';
import { AccessServiceService } from '@switchyard/protos/groups_admin/v1/access';
import { Access, Access_Kind, type Actor } from '@switchyard/protos/rpc/v1/identity';
import type { Representation, RepresentationPage } from '@switchyard/protos/rpc/v1/representation';
import {
  anonymous,
  type CallOptions,
  connect,
  forwardedMethod,
  identityKey,
  implement,
  type Peer,
  type RpcClient,
  type RunningServer,
  type RunningService,
  type ServiceDefinition,
  signClaims,
  startServer,
  startService,
} from '@switchyard/rpc';
import { freePort, serviceProcesses, type TestDatabase, testDatabase, testIdentities } from '@switchyard/testkit';
import { DirectoryModel } from '../../../../libs/directory/test/directory-model';
import { directoryService } from '../../../../libs/directory/test/directory-service';
import { publish } from '../../../../libs/events/test/publish';
import { service } from '../../src/service';

/** alerts on real databases and a real event log, beside a stand-in for groups-admin. */
export interface Installation {
  readonly db: Database;
  readonly directory: DirectoryModel;
  readonly bus: EventBus;
  /** A client as a process uses it, the gateway unless told. */
  client<T extends ServiceDefinition>(definition: T, as?: 'gateway' | 'collaboration'): RpcClient<T>;
  /** Options of a call by the gateway for a user, where `access` says to what its path led. */
  as(user: { id: number; admin?: boolean } | undefined, access?: Partial<Access> & { id: number }): CallOptions;
  /** Publishes an event, as the relay of its owner would. */
  publish<Payload>(event: EventDefinition<Payload>, payload: Payload, id: string): Promise<string>;
  /** Paths that groups-admin knows to mean a project, in lower case: what a replica that is behind does not know, and former paths. */
  readonly locations: Map<string, number>;
  /** Its data folder. */
  readonly folder: string;
  /** A request as the gateway forwards it to the internal HTTP port, made by a Developer of the project unless told. */
  forward(
    method: string,
    path: string,
    given: {
      project: number;
      user?: number;
      caller?: 'gateway' | 'collaboration';
      body?: RequestInit['body'];
      headers?: Record<string, string>;
    },
  ): Promise<Response>;
  start(environment?: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
  /** Starts the service once more on the same database; the client of its own is the gateway's. */
  startBeside(): Promise<{ client: Installation['client']; close(): Promise<void> }>;
  /** Starts the service as a process of its own, reached by `client` while it is stopped here. */
  startProcess(environment?: Record<string, string>): Promise<ChildProcess>;
  close(): Promise<void>;
}

export const externalUrl = 'https://forge.example';

/** The JSON of a reply. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
export const json = (reply: Representation | RepresentationPage): any => JSON.parse(reply.json.toString());

/** Builds the surroundings and starts the service in this process. */
export async function startInstallation(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-alerts-'));
  const home: TestDatabase = await testDatabase({ sets: service.migrationSets });
  const log: TestDatabase = await testDatabase({ sets: [logMigrations] });
  const db = openDatabase({ url: home.url, applicationName: 'alerts test' });
  const identities = testIdentities(['gateway', 'alerts', 'collaboration']);
  identities.writeTo(folder);
  writeFileSync(join(folder, 'alert-digest.key'), 'a1'.repeat(32));
  const { trusted } = identities;
  const context = { signer: identities.signer('alerts'), trusted };

  const directory = new DirectoryModel();
  const locations = new Map<string, number>();
  const peers: RunningServer = await startServer({
    host: '127.0.0.1',
    port: 0,
    trusted,
    services: [
      directoryService(directory, 'alerts'),
      implement(
        { locateProject: AccessServiceService.locateProject },
        {
          locateProject: async ({ path }) => ({
            projectId: locations.get(path.toLowerCase()) ?? 0,
            directorySequence: directory.changes.length,
          }),
        },
        { locateProject: { callers: ['alerts'] } },
      ),
    ],
  });
  const grpcPort = await freePort();
  const httpPort = await freePort();
  const environment = {
    HOST: '127.0.0.1',
    GRPC_PORT: String(grpcPort),
    HTTP_PORT: String(httpPort),
    DATABASE_URL: home.url,
    LOG_DATABASE_URL: log.url,
    GROUPS_ADMIN_ADDRESS: `127.0.0.1:${peers.port}`,
    SWITCHYARD_ALERT_DIGEST_KEY_FILE: join(folder, 'alert-digest.key'),
    SWITCHYARD_DATA: folder,
    SWITCHYARD_IDENTITY_KEY_FILE: join(folder, 'alerts.pem'),
    SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: join(folder, 'keys.json'),
    SWITCHYARD_EXTERNAL_URL: externalUrl,
  };
  const bus: EventBus = embeddedLog({ url: log.url, clientId: 'test' });
  const callers = new Map<string, Peer>(
    ['gateway', 'collaboration'].map((name) => [name, connect(`127.0.0.1:${grpcPort}`, identities.signer(name))]),
  );
  const processes = serviceProcesses(join(__dirname, '..', '..', 'dist', 'main.js'), environment);
  let running: RunningService | undefined;

  const installation: Installation = {
    db,
    directory,
    bus,
    locations,
    folder,
    async forward(method, path, { project, user = 7, caller = 'gateway', body, headers }) {
      const { requestId, ...identity } = installation.as({ id: user }, { id: project, level: 30 });
      const bound = forwardedMethod(method, path);
      const signed = signClaims(identities.signer(caller), bound, requestId, identity);
      return fetch(`http://127.0.0.1:${httpPort}${path}`, {
        method,
        headers: { ...headers, [identityKey]: signed.toString('base64') },
        // A body that is a stream wants it said.
        ...(body === undefined ? {} : ({ body, duplex: 'half' } as RequestInit)),
      });
    },
    client: (definition, as = 'gateway') => (callers.get(as) as Peer).client(definition),
    as: (user, access) => {
      const actor: Actor =
        user === undefined ? anonymous : { ...anonymous, userId: user.id, admin: user.admin ?? false, scopes: ['api'] };
      const target =
        access === undefined
          ? {}
          : {
              access: Access.fromPartial({
                kind: Access_Kind.KIND_PROJECT,
                visibility: 'private',
                tier: 'ultimate',
                level: 40,
                fullPath: 'group/project',
                ...access,
              }),
            };
      return { requestId: 'test', actor, directorySequence: directory.changes.length, ...target };
    },
    publish: (event, payload, id) => publish(bus, event, payload, id),
    async start(more = {}) {
      const config = service.readConfig({ ...environment, ...more });
      running = await startService(config, context, await service.compose(config, context));
    },
    async stop() {
      await running?.close(100);
      running = undefined;
    },
    async startBeside() {
      const config = service.readConfig({ ...environment, GRPC_PORT: '0', HTTP_PORT: '0' });
      const twin = await startService(config, context, await service.compose(config, context));
      const peer = connect(`127.0.0.1:${twin.grpcPort}`, identities.signer('gateway'));
      return {
        client: (definition) => peer.client(definition),
        async close() {
          peer.close();
          await twin.close(100);
        },
      };
    },
    startProcess: processes.start,
    async close() {
      for (const peer of callers.values()) peer.close();
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
