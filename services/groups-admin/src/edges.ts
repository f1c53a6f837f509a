import { wholeNumber, z } from '@switchyard/config';
import { outboundVariables } from '@switchyard/outbound';
import { encryptionVariables } from '@switchyard/secrets';
import type { ServiceEdges } from '@switchyard/service';
import type { PrismaClient } from './generated/prisma/client';

/** The variables of groups-admin in addition to those of every service; see docs/operations.md. */
export const variables = {
  ...encryptionVariables,
  ...outboundVariables,
  /** Key material, from which keys are derived, such as those of secrets at rest (D7); while it changes, the new one and in a second line the old one. */
  SWITCHYARD_SECRET: z.string().optional(),
  /** A file with it, which may change while the process runs; goes before it. */
  SWITCHYARD_SECRET_FILE: z.string().optional(),
  /** A file with the key of token digests (D3), which stays when the secret changes. */
  SWITCHYARD_TOKEN_DIGEST_KEY_FILE: z.string(),
  /** A file with the key of digests of requests that have an `Idempotency-Key`, which stays as well (ADR 50). */
  SWITCHYARD_REQUEST_DIGEST_KEY_FILE: z.string(),
  /** Token of the administrator `root` (D2). */
  SWITCHYARD_ROOT_TOKEN: z
    .string()
    .min(20, 'must have at least 20 characters')
    .regex(/^[\x21-\x7e]+$/, 'must consist of printable ASCII characters without blanks')
    .optional(),
  /** Longest lifetime of a personal access token, days (G-5-9). */
  SWITCHYARD_TOKEN_LIFETIME_DAYS: wholeNumber(1, 400).default(365),
  /** Days between the deletion of a group or project, which hides it at once, and its purge. */
  SWITCHYARD_DELETION_DELAY_DAYS: wholeNumber(0, 90).default(0),
  /** Repeats of a delivery that failed, spread over an hour; 0 for none. */
  SWITCHYARD_DELIVERY_RETRIES: wholeNumber(0, 10).default(5),
  /** Whether there are the integrations `mock-ci` and `mock-monitoring` (G-4.4-8). */
  SWITCHYARD_DEVELOPMENT_INTEGRATIONS: z.stringbool().default(false),
};

/** What every area is built from. */
export type Edges = ServiceEdges<
  typeof variables,
  'merge-requests' | 'collaboration' | 'alerts',
  { blobs: true; prisma: typeof PrismaClient }
>;
