import { join } from 'node:path';
import { type Database, prismaAdapter } from '@switchyard/database';
import type { Sibling } from '@switchyard/rpc';
import type { Edges } from '../../src/edges';
import { PrismaClient } from '../../src/generated/prisma/client';
import { composeAreas, service } from '../../src/service';
import { silentBus, standInPeers } from './stand-ins';

/** Address of the service in the tests. */
export const externalUrl = 'http://switchyard.test';

/** Environment of the service on a database and a data folder. */
export const environmentOn = (databaseUrl: string, folder: string): NodeJS.ProcessEnv => ({
  HOST: '127.0.0.1',
  GRPC_PORT: '0',
  HTTP_PORT: '0',
  DATABASE_URL: databaseUrl,
  LOG_DATABASE_URL: databaseUrl,
  // Replaced: nothing listens there.
  GROUPS_ADMIN_ADDRESS: '127.0.0.1:9',
  COLLABORATION_ADDRESS: '127.0.0.1:9',
  IMPORTS_EXPORTS_ADDRESS: '127.0.0.1:9',
  SWITCHYARD_DATA: folder,
  SWITCHYARD_EXTERNAL_URL: `${externalUrl}/`,
  SWITCHYARD_IDENTITY_KEY_FILE: 'none',
  SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: 'none',
  SWITCHYARD_OUTBOUND_ALLOWED: '127.0.0.1',
  SWITCHYARD_MERGE_REQUESTS_SECRETS_KEY_FILE: join(__dirname, 'secrets.key'),
});

/** The areas of the service as a process composes them, without its servers and background work. */
export function areasOn(
  { db, prisma = new PrismaClient({ adapter: prismaAdapter(db) }) }: { db: Database; prisma?: PrismaClient },
  {
    folder,
    clock = () => new Date(),
    further = {},
  }: { folder: string; clock?: () => Date; further?: NodeJS.ProcessEnv },
): ReturnType<typeof composeAreas> {
  const peers = standInPeers(db);
  const edges: Edges = {
    config: service.readConfig({ ...environmentOn('postgres://unused', folder), ...further }),
    db,
    prisma,
    bus: silentBus,
    clock,
    peer: (name) => peers[name]!,
    // No test of these areas asks another process.
    sibling: () => ({}) as Sibling,
    observe: (_label, useCases) => useCases,
    directory: {
      ensure: async () => undefined,
      sequence: () => 0,
      ready: () => true,
      rebuild: async () => undefined,
      close: async () => undefined,
    },
  };
  return composeAreas(edges);
}

/** The stores of merge requests and pipelines as the service composes them. */
export const storesOn = (db: Database) => {
  const { mergeRequests, pipelines } = areasOn({ db }, { folder: 'none' });
  return { mergeRequests: mergeRequests.edges.mergeRequests, pipelines: pipelines.edges.pipelines };
};
