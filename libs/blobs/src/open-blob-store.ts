import { join } from 'node:path';
import { assertSwitchedOn, dataFolder, readCertificates, webAddress, z } from '@switchyard/config';
import type { BlobStore } from './blob-store';
import { checkedBucket } from './check-bucket';
import { diskStore } from './disk-store';
import { s3Store } from './s3-store';

/** Variables of a service that stores files; see docs/operations.md. */
export const blobVariables = {
  SWITCHYARD_DATA: dataFolder(),
  /** Bucket, instead of the data folder. */
  S3_BUCKET: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/, 'must be the name of a bucket')
    .optional(),
  S3_ENDPOINT: webAddress().optional(),
  /** Certificates in PEM of who signs that of the endpoint; those of Node where it is absent. */
  S3_CA_FILE: z.string().optional(),
  S3_REGION: z.string().default('us-east-1'),
  /** Whether downloads of packages and of files of texts are redirected to the bucket, by signed addresses. */
  S3_SIGNED_DOWNLOADS: z.stringbool().default(false),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
} as const;

/** What `blobVariables` give. */
export type BlobConfig = z.infer<z.ZodObject<typeof blobVariables>>;

/**
 * Opens the store that the environment names: the bucket, which is asked whether it can be used, else
 * `$SWITCHYARD_DATA/blobs`.
 * @throws Error with one line that names the variable at fault
 */
export async function openBlobStore(config: BlobConfig): Promise<BlobStore> {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  assertSwitchedOn(config, { by: 'S3_BUCKET', prefix: 'S3_', variables: blobVariables });
  if (config.S3_CA_FILE !== undefined && /^http:/i.test(config.S3_ENDPOINT ?? ''))
    throw new Error('S3_CA_FILE: has no effect with an http:// address in S3_ENDPOINT');
  if (bucket === undefined) return diskStore(join(config.SWITCHYARD_DATA, 'blobs'));
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    const missing = accessKeyId === undefined ? 'S3_ACCESS_KEY_ID' : 'S3_SECRET_ACCESS_KEY';
    throw new Error(`${missing}: is missing`);
  }
  const store = await s3Store({
    bucket,
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    authorities: config.S3_CA_FILE === undefined ? undefined : readCertificates('S3_CA_FILE', config.S3_CA_FILE),
    signedDownloads: config.S3_SIGNED_DOWNLOADS,
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey },
  });
  return checkedBucket(store, { bucket, endpoint: config.S3_ENDPOINT ?? 'Amazon S3', region: config.S3_REGION });
}
