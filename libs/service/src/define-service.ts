import { type BlobConfig, openBlobStore } from '@switchyard/blobs';
import {
  assertMigrated,
  countStatements,
  guardWrites,
  type MigrationSet,
  openDatabase,
  prismaAdapter,
} from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { startDirectory } from '@switchyard/directory';
import { unavailable } from '@switchyard/errors';
import { checkReaders, openBus, startConsumer, startRelay, topicsOf } from '@switchyard/events';
import { DirectoryServiceService } from '@switchyard/protos/groups_admin/v1/directory';
import { connect, forwardedHttp, type Peer, type Sibling } from '@switchyard/rpc';
import { logger, observe } from '@switchyard/telemetry';
import type { Area, Closable } from './area';
import type { Command } from './command';
import { addressVariable, readServiceConfig, type ServiceConfig, type Variables, variablesOf } from './configuration';
import type { ReplacedEdges, ServiceEdges } from './edges';
import type { Needs, PrismaLike } from './needs';
import type { ProcessContext, ServiceParts } from './process-parts';
import { runService } from './run-service';
import type { Service } from './service';

/** A service as its `service.ts` declares it. */
export interface ServiceDeclaration<V extends Variables, PeerName extends string, N extends Needs> {
  /** Name of the process: `groups-admin`, `merge-requests` … */
  readonly name: string;
  /** Variables of its own; those of every service, of its peers and of its needs are added. */
  readonly variables: V;
  /** Migrations of its database; see `migrationsOf`. */
  readonly migrationSets: MigrationSet[];
  /** Services that it calls. */
  readonly peers: readonly PeerName[];
  readonly needs: N;
  /** Connections to its database; default 15. */
  readonly poolSize?: number;
  /** Sub-commands for the operator, by name. */
  readonly commands?: Readonly<Record<string, Command>>;
  /**
   * Builds the areas, those first on which others rest. What has to stand before the first call (the first
   * administrator) is done here.
   * @throws Error with one line when the service cannot start
   */
  areas(given: ServiceEdges<V, PeerName, N>): readonly Area[] | Promise<readonly Area[]>;
}

const defaultPoolSize = 15;

/** Declares a service; the frame owns what every process repeats (D1). */
export function defineService<V extends Variables, const PeerName extends string, const N extends Needs>(
  declared: ServiceDeclaration<V, PeerName, N>,
): Service<V> {
  const { name, needs, migrationSets } = declared;
  const shape = variablesOf(declared.variables, declared.peers, needs);
  const service: Service<V> = {
    name,
    variables: Object.keys(shape),
    migrationSets,
    readConfig: (environment = process.env) => readServiceConfig<V>(shape, environment),
    compose: (config, context, replaced = {}) => compose(declared, config, context, replaced),
    run: ({ stopTelemetry }) => runService(service, declared.commands ?? {}, stopTelemetry),
  };
  return service;
}

async function compose<V extends Variables, PeerName extends string, N extends Needs>(
  declared: ServiceDeclaration<V, PeerName, N>,
  config: ServiceConfig<V>,
  { signer, trusted }: ProcessContext,
  replaced: ReplacedEdges,
): Promise<ServiceParts> {
  const { name, needs, poolSize = defaultPoolSize } = declared;
  // The types of a generic configuration know its own variables alone.
  const read = config as unknown as ServiceConfig<Variables> & BlobConfig & Record<string, string>;
  await assertMigrated({ url: read.DATABASE_URL, sets: declared.migrationSets });
  const blobs = needs.blobs ? (replaced.blobs ?? (await openBlobStore(read))) : undefined;
  const db = openDatabase({ url: read.DATABASE_URL, applicationName: name, poolSize });
  const prisma = openPrisma(needs, db);
  const connected = declared.peers.map((peer): [string, Peer] => [
    peer,
    connect(String(read[addressVariable(peer)]), signer),
  ]);
  const peers = new Map<string, Peer>([...connected, ...Object.entries(replaced.peers ?? {})]);
  const peer = (of: string): Peer => {
    const found = peers.get(of);
    if (found === undefined) throw new Error(`${name} does not declare ${of} among its peers`);
    return found;
  };
  const siblings = new Map<string, Sibling>();
  const sibling = (address: string): Sibling => {
    const found = siblings.get(address) ?? connect(address, signer);
    siblings.set(address, found);
    return found;
  };
  const directory = needs.directory
    ? await startDirectory({ db, client: peer('groups-admin').client(DirectoryServiceService), log: logger })
    : undefined;
  const bus = replaced.bus ?? openBus(read, name);
  const clock = replaced.clock ?? (() => new Date());
  const background: Closable[] = [];
  let areas: readonly Area[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(background.map((one) => one.close()));
    await directory?.close();
    if (replaced.bus === undefined) await bus.close();
    await Promise.all(areas.map((area) => area.close?.()));
    if (replaced.blobs === undefined) blobs?.close();
    await prisma?.$disconnect();
    await db.close();
    for (const one of [...connected.map(([, peer]) => peer), ...siblings.values()]) one.close();
  };
  await bus.check(topicsOf(name));
  try {
    areas = await declared.areas({
      ...{ config, db, bus, clock, peer, sibling, observe },
      ...{ directory, blobs, prisma },
    } as unknown as ServiceEdges<V, PeerName, N>);
  } catch (error) {
    // What is wrong is said first of all.
    await close().catch(() => undefined);
    throw error;
  }

  const consumers = areas.flatMap((area) => area.consumers ?? []);
  checkReaders(
    name,
    consumers.map(({ group, subscriptions }) => ({ group, topics: subscriptions.map(({ event }) => event.topic) })),
  );

  const ensureDirectory = directory?.ensure;
  const endpoints = areas.flatMap(({ http = [] }) => http);
  return {
    services: areas.flatMap(({ services = [] }) => services),
    ensureDirectory,
    http:
      endpoints.length === 0
        ? undefined
        : forwardedHttp(
            { trusted, ensureDirectory: ensureDirectory ?? (async () => undefined), guardWrites },
            endpoints,
          ),
    countStatements,
    guardWrites,
    ready: async () => {
      await db.query(sql`select 1`);
      if (directory?.ready() === false) throw unavailable('the directory has not been filled');
      for (const area of areas) await area.ready?.();
    },
    start: async () => {
      for (const area of areas) {
        for (const { group, subscriptions, concurrency } of area.consumers ?? [])
          background.push(await startConsumer({ bus, db, group, subscriptions: [...subscriptions], concurrency }));
        background.push(...((await area.start?.()) ?? []));
      }
      background.push(startRelay({ db, bus }));
    },
    drain: () => {
      for (const area of areas) area.drain?.();
    },
    close,
  };
}

function openPrisma({ prisma: Client }: Needs, db: Parameters<typeof prismaAdapter>[0]): PrismaLike | undefined {
  return Client === undefined ? undefined : new Client({ adapter: prismaAdapter(db) } as never);
}
