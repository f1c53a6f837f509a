import { dataFolder, decimalNumber, wholeNumber, z } from '@switchyard/config';
import { outboundVariables } from '@switchyard/outbound';
import { encryptionVariables } from '@switchyard/secrets';
import type { ServiceEdges } from '@switchyard/service';
import type { PrismaClient } from './generated/prisma/client';
import { defaultGitLimits, type GitLimits } from './git';

const storage = /^([a-z0-9][a-z0-9_-]{0,62}):(\d{1,3})$/;

/** Storages of repositories with their weights: `<name>:<weight>,…`. */
const storages = z
  .string()
  .default('default:1')
  .transform((written) => written.split(',').map((one) => storage.exec(one.trim())))
  .refine((list) => list.every((one) => one !== null && Number(one[2]) <= 100), 'must be <name>:<weight>,… (0 to 100)')
  .transform((list) => list.map((one) => [one?.[1] ?? '', Number(one?.[2])] as const))
  .refine((list) => new Set(list.map(([name]) => name)).size === list.length, 'names a storage twice')
  .refine((list) => list.some(([, weight]) => weight > 0), 'must have a storage with a weight above 0')
  .transform((list): ReadonlyMap<string, number> => new Map(list));

const storageNames = z
  .string()
  .transform((written) => written.split(',').map((one) => one.trim()))
  .transform((names): ReadonlySet<string> => new Set(names));

const storagePeer = /^([a-z0-9][a-z0-9_-]{0,62})=([^\s:/=,]+|\[[0-9a-fA-F:]+\]):(\d{1,5})\/(\d{1,5})$/;

/** Where another process of the service is found. */
export interface StorageProcess {
  /** `host:port` of its gRPC server. */
  readonly grpc: string;
  /** URL of its internal HTTP server. */
  readonly http: string;
}

/** Processes by the storages that they serve: `<storage>=<host>:<gRPC port>/<HTTP port>,…`. */
const storagePeers = z
  .string()
  .transform((written) => written.split(',').map((one) => storagePeer.exec(one.trim())))
  .refine((list) => list.every((one) => one !== null), 'must be <storage>=<host>:<gRPC port>/<HTTP port>,…')
  .transform((list) =>
    list.map((one): [string, StorageProcess] => {
      const [, name = '', host, grpc, http] = one ?? [];
      return [name, { grpc: `${host}:${grpc}`, http: `http://${host}:${http}` }];
    }),
  )
  .transform((list): ReadonlyMap<string, StorageProcess> => new Map(list));

/** Folder of the installation's data, and the storages of repositories in it. */
export const dataVariables = {
  SWITCHYARD_DATA: dataFolder(),
  SWITCHYARD_REPOSITORY_STORAGES: storages,
  /** Storages whose volumes this process has; all of them unless given. */
  SWITCHYARD_STORAGES_SERVED: storageNames.optional(),
};

/** The same, and the way to the processes of the other storages, as who asks them. */
export const movingVariables = {
  ...dataVariables,
  /** Who serves the other storages. */
  SWITCHYARD_STORAGE_PEERS: storagePeers.optional(),
  /** File with the private key of the service; not needed where this process serves all storages. */
  SWITCHYARD_IDENTITY_KEY_FILE: z.string().optional(),
};

/** Keys of the values that the service stores encrypted. */
export const secretVariables = {
  ...encryptionVariables,
  /** File with the key that is derived from the instance's secret, in hex. */
  SWITCHYARD_MERGE_REQUESTS_SECRETS_KEY_FILE: z.string(),
};

/** Variables of the service; see docs/operations.md. */
export const variables = {
  ...dataVariables,
  ...secretVariables,
  ...outboundVariables,
  /** Who serves the other storages. */
  SWITCHYARD_STORAGE_PEERS: movingVariables.SWITCHYARD_STORAGE_PEERS,
  /**
   * Seconds after which another process takes over what a crashed one left unfinished: ref changes, merges under way,
   * jobs. The searches for such work are as far apart.
   */
  SWITCHYARD_RECOVERY_SECONDS: decimalNumber(0.5, 60).default(5),
  SWITCHYARD_GIT_PLACES: wholeNumber(1, 4_096).default(defaultGitLimits.places),
  SWITCHYARD_GIT_PLACES_PER_PROJECT: wholeNumber(1, 4_096).optional(),
  SWITCHYARD_GIT_PLACES_PER_CALLER: wholeNumber(1, 4_096).optional(),
  SWITCHYARD_GIT_WAITING: wholeNumber(0, 100_000).default(defaultGitLimits.waiting),
  SWITCHYARD_GIT_WAIT_SECONDS: decimalNumber(0, 60).default(defaultGitLimits.waitMs / 1_000),
  SWITCHYARD_GIT_TRANSFER_WAIT_SECONDS: decimalNumber(0, 600).default(defaultGitLimits.transferWaitMs / 1_000),
  SWITCHYARD_GIT_MEMORY_MB: wholeNumber(256, 1 << 20).default(defaultGitLimits.memoryBytes >> 20),
  SWITCHYARD_GIT_REQUEST_SECONDS: decimalNumber(1, 3_600).default(defaultGitLimits.requestMs / 1_000),
  SWITCHYARD_GIT_IDLE_SECONDS: decimalNumber(1, 3_600).default(defaultGitLimits.idleMs / 1_000),
};

/** What each area of the service is built from. */
export type Edges = ServiceEdges<
  typeof variables,
  'groups-admin' | 'collaboration' | 'imports-exports',
  { directory: true; prisma: new (options: never) => PrismaClient }
>;

/**
 * What git may use, as the environment has it.
 * @throws Error with one line that names the variable at fault
 */
export function gitLimitsOf(config: Edges['config']): Partial<GitLimits> {
  const places = config.SWITCHYARD_GIT_PLACES;
  for (const share of ['SWITCHYARD_GIT_PLACES_PER_PROJECT', 'SWITCHYARD_GIT_PLACES_PER_CALLER'] as const) {
    if ((config[share] ?? 0) > places)
      throw new Error(`${share}: must be at most the ${places} of SWITCHYARD_GIT_PLACES`);
  }
  return {
    places,
    placesPerRepository: config.SWITCHYARD_GIT_PLACES_PER_PROJECT ?? Math.ceil(places / 2),
    placesPerCaller: config.SWITCHYARD_GIT_PLACES_PER_CALLER ?? Math.ceil(places / 4),
    waiting: config.SWITCHYARD_GIT_WAITING,
    waitMs: config.SWITCHYARD_GIT_WAIT_SECONDS * 1_000,
    transferWaitMs: config.SWITCHYARD_GIT_TRANSFER_WAIT_SECONDS * 1_000,
    memoryBytes: config.SWITCHYARD_GIT_MEMORY_MB * 1024 ** 2,
    requestMs: config.SWITCHYARD_GIT_REQUEST_SECONDS * 1_000,
    idleMs: config.SWITCHYARD_GIT_IDLE_SECONDS * 1_000,
  };
}
