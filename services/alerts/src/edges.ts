import { wholeNumber, z } from '@switchyard/config';
import type { ServiceEdges } from '@switchyard/service';
import type { PrismaClient } from './generated/prisma/client';

/** Variables of the service; see docs/operations.md. */
export const variables = {
  /**
   * File with the key of the digests of integration keys, 64 hex digits. It is derived from the secret, which only
   * groups-admin has.
   */
  SWITCHYARD_ALERT_DIGEST_KEY_FILE: z.string(),
  /** Bytes of the largest payload and sample payload; the gateway has the same limit. */
  SWITCHYARD_ALERT_PAYLOAD_LIMIT: wholeNumber(1_024, 64 << 20).default(1 << 20),
  /** Bytes of the largest image of a metric. */
  SWITCHYARD_METRIC_IMAGE_LIMIT: wholeNumber(1_024, 64 << 20).default(1 << 20),
};

/** What each area of the service is built from. */
export type Edges = ServiceEdges<
  typeof variables,
  'groups-admin',
  { directory: true; blobs: true; prisma: new (options: never) => PrismaClient }
>;
