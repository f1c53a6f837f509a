import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { migrate } from '@switchyard/database';
import { logMigrations } from '@switchyard/events';
import { AccessServiceService, ResolveRequest, type ResolveResponse } from '@switchyard/protos/groups_admin/v1/access';
import type { Access, Actor } from '@switchyard/protos/rpc/v1/identity';
import type { Representation, RepresentationPage } from '@switchyard/protos/rpc/v1/representation';
import { type CallOptions, connect, type Peer, type RpcClient } from '@switchyard/rpc';
import { type RunningService, startService } from '@switchyard/service';
import { type TcpGate, tcpGate, testDatabase, testIdentities } from '@switchyard/testkit';
import { service as groupsAdmin } from '../../src/service';

/** Token of the administrator in these tests. */
export const rootToken = 'root-token-of-the-component-tests';

/** groups-admin in this process, on a database of its own, called as the gateway calls it. */
export interface TestService {
  readonly databaseUrl: string;
  /** Folder of its blobs. */
  readonly dataFolder: string;
  /** Its event log. */
  readonly logDatabaseUrl: string;
  /** A client of one of its services, as `caller`. */
  client<T extends ServiceDefinition>(definition: T, caller?: string): RpcClient<T>;
  /** In front of its database, to take that away. */
  readonly gate: TcpGate;
  /** Resolves a token and a target as the gateway does. */
  resolve(request?: Partial<ResolveRequest>): Promise<ResolveResponse>;
  /** Call options for the bearer of a token, with access to a target where one is named. */
  as(token: string, target?: ResolveRequest['target']): Promise<CallOptions & { actor: Actor; access?: Access }>;
  close(): Promise<void>;
}

/** Addresses at which no service listens. */
export const awayPeers = {
  MERGE_REQUESTS_ADDRESS: '127.0.0.1:9',
  COLLABORATION_ADDRESS: '127.0.0.1:9',
  ALERTS_ADDRESS: '127.0.0.1:9',
};

/** Body of a reply. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
export const bodyOf = (reply: Representation | RepresentationPage): any =>
  reply.json.length === 0 ? undefined : JSON.parse(reply.json.toString());

/**
 * Starts the service as its `main.ts` does, without the process.
 * @param peers services that it calls; those that are not given are away
 */
export async function startTestService({
  peers: given = {},
}: {
  peers?: Record<string, Peer>;
} = {}): Promise<TestService> {
  const database = await testDatabase({ sets: [...groupsAdmin.migrationSets] });
  const log = await testDatabase();
  const gated = new URL(database.url);
  const gate = await tcpGate({ host: gated.hostname, port: Number(gated.port) });
  gated.host = `127.0.0.1:${gate.port}`;
  await migrate({ url: log.url, sets: [logMigrations] });
  const dataFolder = mkdtempSync(join(tmpdir(), 'switchyard-data-'));
  const identities = testIdentities(['gateway', 'merge-requests', 'collaboration', 'alerts', 'groups-admin']);
  const config = groupsAdmin.readConfig({
    HOST: '127.0.0.1',
    GRPC_PORT: '0',
    HTTP_PORT: '0',
    DATABASE_URL: gated.href,
    LOG_DATABASE_URL: log.url,
    SWITCHYARD_IDENTITY_KEY_FILE: 'none',
    SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: 'none',
    SWITCHYARD_EXTERNAL_URL: 'http://switchyard.test',
    SWITCHYARD_SECRET: 'a secret of at least thirty-two characters',
    SWITCHYARD_TOKEN_DIGEST_KEY_FILE: join(__dirname, 'token-digest.key'),
    SWITCHYARD_REQUEST_DIGEST_KEY_FILE: join(__dirname, 'token-digest.key'),
    SWITCHYARD_ROOT_TOKEN: rootToken,
    SWITCHYARD_DATA: dataFolder,
    ...awayPeers,
  });
  const context = { signer: identities.signer('groups-admin'), trusted: identities.trusted };
  const service: RunningService = await startService(
    config,
    context,
    await groupsAdmin.compose(config, context, { peers: given }),
  );
  const peers = new Map<string, Peer>();
  const peer = (caller: string): Peer => {
    const known = peers.get(caller) ?? connect(`127.0.0.1:${service.grpcPort}`, identities.signer(caller));
    peers.set(caller, known);
    return known;
  };
  const resolve = (request: Partial<ResolveRequest> = {}): Promise<ResolveResponse> =>
    peer('gateway').client(AccessServiceService).resolve(ResolveRequest.fromPartial(request), { requestId: 'test' });
  return {
    databaseUrl: database.url,
    dataFolder,
    logDatabaseUrl: log.url,
    gate,
    client: (definition, caller = 'gateway') => peer(caller).client(definition),
    resolve,
    async as(token, target) {
      const { actor, access } = await resolve({ token, target });
      if (actor === undefined || (token !== '' && actor.userId === 0)) throw new Error('the token was refused');
      return { requestId: 'test', actor, access };
    },
    async close() {
      for (const open of peers.values()) open.close();
      await service.close();
      await gate.close();
      await database.close();
      await log.close();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}
