import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { diskStore } from '@switchyard/blobs';
import { type Database, openDatabase, prismaAdapter } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import { parseAllowed } from '@switchyard/outbound';
import { type Access, Access_Kind, type Actor } from '@switchyard/protos/rpc/v1/identity';
import type { PageRequest, Representation, RepresentationPage } from '@switchyard/protos/rpc/v1/representation';
import { anonymous, type CallOptions, connect, type Peer, type RpcClient, startServer } from '@switchyard/rpc';
import { observe } from '@switchyard/telemetry';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import type { Change } from '../../src/changes';
import { accessStore } from '../../src/directory/storage/access.store';
import type { Edges } from '../../src/edges';
import { PrismaClient } from '../../src/generated/prisma/client';
import { composeAreas, service } from '../../src/service';
import { tokenDigest } from '../../src/tokens';
import { conforming } from './components';
import { writerOf } from './writer';

/** A user of a test. */
export interface TestUser extends Actor {
  namespaceId: number;
}

/** Calls bound to one actor; `access` is resolved again for each. */
export type As<T> = {
  [K in keyof RpcClient<T>]: RpcClient<T>[K] extends (request: infer Q, options: CallOptions) => infer R
    ? (request: Q, target?: Target) => R
    : never;
};

/** What a call is about, as the gateway would resolve it. */
export type Target = { group: number } | { project: number };

/** Groups and projects over a database of their own, behind a real gRPC server. */
export interface RunningGroups {
  db: Database;
  /** Clients acting for a user; undefined: anonymous. */
  as<T extends ServiceDefinition>(user: TestUser | undefined, definition: T): As<T>;
  /** Clients of another service that calls as itself, or for a user. */
  asService<T extends ServiceDefinition>(name: string, definition: T, user?: TestUser): As<T>;
  user(username: string, given?: { admin?: boolean; external?: boolean; canCreateGroup?: boolean }): Promise<TestUser>;
  /** Does with changes what webhooks do, in one transaction. */
  followed(changes: readonly Change[]): Promise<void>;
  /** Starts to deliver what is queued. */
  startDeliveries(): Promise<void>;
  /** Runs the purge and the expiry of memberships and shares once. */
  purge(): Promise<number>;
  close(): Promise<void>;
}

/** The JSON of a reply. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
export const bodyOf = (reply: Representation | RepresentationPage): any =>
  JSON.parse(Buffer.from(reply.json).toString());

/** What a user sees: the JSON of a reply, held against its component. */
export const shown = async (
  component: string,
  reply: Promise<Representation | RepresentationPage>,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
): Promise<any> => conforming(component, bodyOf(await reply));

/** A page request. */
export const pageOf = (given: Partial<PageRequest> = {}): PageRequest => ({
  keyset: false,
  page: 1,
  perPage: 20,
  cursor: '',
  orderBy: '',
  descending: false,
  ...given,
});

/** Repositories that each have one branch, `side`. */
const repositories = {
  async findSourceCommit({ revision }: { revision: string }) {
    if (revision !== 'refs/heads/side') throw notFound('Commit');
    return { commitSha: '1'.repeat(40) };
  },
};

/** Starts them. */
export async function runGroups({
  delayDays = 0,
  tier = 'ultimate',
  ahead = () => 0,
}: {
  delayDays?: number;
  tier?: string;
  /** Milliseconds by which its clock is ahead. */
  ahead?: () => number;
} = {}): Promise<RunningGroups> {
  const server: TestDatabase = await testDatabase({ sets: service.migrationSets });
  const db = openDatabase({ url: server.url, applicationName: 'test' });
  const files = mkdtempSync(join(tmpdir(), 'switchyard-blobs-'));
  const given = {
    blobs: diskStore(files),
    config: {
      SWITCHYARD_TIER: tier,
      SWITCHYARD_EXTERNAL_URL: 'https://forge.example',
      SWITCHYARD_SECRET: 'a secret of at least thirty-two characters',
      SWITCHYARD_REQUEST_DIGEST_KEY_FILE: join(__dirname, 'token-digest.key'),
      SWITCHYARD_DELETION_DELAY_DAYS: delayDays,
      SWITCHYARD_TOKEN_LIFETIME_DAYS: 365,
      SWITCHYARD_ENCRYPTION_SECRETS: [],
      SWITCHYARD_OUTBOUND_ALLOWED: parseAllowed('127.0.0.1'),
      SWITCHYARD_DELIVERY_RETRIES: 5,
    },
    db,
    prisma: new PrismaClient({ adapter: prismaAdapter(db) }),
    clock: () => new Date(Date.now() + ahead()),
    observe,
    peer: () => ({ client: () => repositories }),
  } as unknown as Edges;
  const directory = writerOf(db);
  const {
    all: areas,
    members,
    shares,
    purge: due,
    deliveries,
    webhooks,
  } = composeAreas(given, directory, tokenDigest(Buffer.alloc(32, 42)));
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const grpc = await startServer({
    services: areas.flatMap(({ services = [] }) => services),
    trusted: new Map([
      ['gateway', publicKey],
      ['merge-requests', publicKey],
      ['collaboration', publicKey],
      ['imports-exports', publicKey],
    ]),
    host: '127.0.0.1',
    port: 0,
  });
  const peer = connect(`127.0.0.1:${grpc.port}`, { name: 'gateway', key: privateKey });
  const services: Peer[] = [];
  const jobs: { close(): Promise<void> }[] = [];
  const store = accessStore(db);

  async function accessOf(actor: Actor, target: Target | undefined): Promise<Access | undefined> {
    if (target === undefined) return undefined;
    const isGroup = 'group' in target;
    const row = isGroup
      ? await store.findGroup({ id: target.group }, actor.userId)
      : await store.findProject({ id: target.project }, actor.userId);
    if (row === undefined) return undefined;
    return {
      kind: isGroup ? Access_Kind.KIND_GROUP : Access_Kind.KIND_PROJECT,
      id: row.id,
      fullPath: row.full_path,
      visibility: row.visibility,
      level: actor.admin ? 50 : row.level,
      tier: row.tier ?? tier,
      archived: row.archived,
    };
  }

  return {
    db,
    as: (user, definition) => {
      const actor = user ?? anonymous;
      const client = peer.client(definition) as Record<string, (request: unknown, options: CallOptions) => unknown>;
      return new Proxy(client, {
        get: (methods, name) => async (request: unknown, target?: Target) =>
          methods[name as string]?.(request, {
            requestId: 'test',
            actor,
            access: await accessOf(actor, target),
          }),
      }) as never;
    },
    asService: (name, definition, user) => {
      const service = connect(`127.0.0.1:${grpc.port}`, { name, key: privateKey });
      services.push(service);
      const client = service.client(definition) as Record<string, (request: unknown, options: CallOptions) => unknown>;
      return new Proxy(client, {
        get: (methods, method) => (request: unknown) =>
          methods[method as string]?.(request, { requestId: 'test', ...(user ? { actor: user } : {}) }),
      }) as never;
    },
    async user(username, { admin = false, external = false, canCreateGroup = true } = {}) {
      const row = await db.one<{ id: number }>(sql`
        insert into users (username, name, email, admin, external, can_create_group)
        values (${username}, ${`${username} Lovelace`}, ${`${username}@example.com`}, ${admin}, ${external}, ${canCreateGroup})
        returning id`);
      const id = row?.id ?? 0;
      const home = await db.one<{ id: number }>(sql`
        with drawn as (select nextval(pg_get_serial_sequence('namespaces', 'id')) as id)
        insert into namespaces (id, kind, name, path, ancestry, full_path, full_name, owner_id)
        select id, 'user', ${username}, ${username}, array[id], ${username}, ${username}, ${id} from drawn returning id`);
      return {
        userId: id,
        username,
        admin,
        external,
        scopes: ['api'],
        tokenId: 1,
        namespaceId: home?.id ?? 0,
      };
    },
    followed: (changes) => db.transaction((tx) => webhooks.follower(tx, changes)),
    async startDeliveries() {
      jobs.push(...((await deliveries.start?.()) ?? []));
    },
    purge: async () => (await members.expire()) + (await shares.expire()) + (await due.purge()),
    async close() {
      for (const one of [peer, ...services]) one.close();
      for (const job of jobs) await job.close();
      await deliveries.close?.();
      await grpc.close();
      await db.close();
      await server.close();
      rmSync(files, { recursive: true });
    },
  };
}
