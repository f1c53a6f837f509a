import { wholeNumber, z } from '@switchyard/config';
import { outboundVariables } from '@switchyard/outbound';
import { encryptionVariables } from '@switchyard/secrets';
import type { ServiceEdges } from '@switchyard/service';
import type { PrismaClient } from './generated/prisma/client';

/** Variables of the service; those of every service and of its peers are added. See docs/operations.md. */
export const variables = {
  /** File with the key that signs exports: 64 hex digits, the seed of an Ed25519 key. */
  SWITCHYARD_EXPORT_SIGNING_KEY_FILE: z.string(),
  /** Address of a stand-in of the cloud forge, for its API and for git; default: the hosted one. */
  SWITCHYARD_FORGEB_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Bytes of the largest archive of a project that may be imported. */
  SWITCHYARD_PROJECT_IMPORT_LIMIT: wholeNumber(1_024, 2 ** 40).default(5 * 2 ** 30),
  /** Days for which reports of pipelines are kept, but for those of the newest pipelines of branches and tags. */
  SWITCHYARD_REPORT_RETENTION_DAYS: wholeNumber(1, 36_500).default(90),
  ...encryptionVariables,
  ...outboundVariables,
  /** File with the key that is derived from the instance's secret, in hex. */
  SWITCHYARD_IMPORTS_EXPORTS_SECRETS_KEY_FILE: z.string(),
};

/** What each area of the service is built from. */
export type Edges = ServiceEdges<
  typeof variables,
  'groups-admin' | 'merge-requests' | 'collaboration' | 'packages',
  { directory: true; blobs: true; prisma: new (options: never) => PrismaClient }
>;
