import { blobVariables } from '@switchyard/blobs';
import { parseEnvironment, serviceVariables, z } from '@switchyard/config';

const variables = {
  ...serviceVariables,
  ...blobVariables,
  GROUPS_ADMIN_ADDRESS: z.string(),
  /** File with the key of the digests of integration keys, 64 hex digits: derived from the instance's secret, which stays with groups-admin. */
  SWITCHYARD_ALERT_DIGEST_KEY_FILE: z.string(),
  /** Bytes of the largest payload taken, and of a sample payload; the gateway reads no more than this either. */
  SWITCHYARD_ALERT_PAYLOAD_LIMIT: z.coerce
    .number()
    .int()
    .min(1_024)
    .max(64 << 20)
    .default(1 << 20),
  /** Bytes of the largest image of a metric. */
  SWITCHYARD_METRIC_IMAGE_LIMIT: z.coerce
    .number()
    .int()
    .min(1_024)
    .max(64 << 20)
    .default(1 << 20),
};

/** Configuration of the process, parsed once from its environment. */
export const readConfig = (environment = process.env) => parseEnvironment(variables, environment);

/** What `readConfig` gives. */
export type Config = ReturnType<typeof readConfig>;
