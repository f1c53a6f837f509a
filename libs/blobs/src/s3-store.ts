import { Readable } from 'node:stream';
import { type BlobStore, checkKey } from './blob-store';

/** Where the bucket is, and as whom it is used. */
export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Address of a server that is not Amazon's; buckets are then part of the path. */
  readonly endpoint?: string | undefined;
  /** Certificates in PEM that the endpoint's rests on; those of Node where it is absent. */
  readonly authorities?: string | undefined;
  /** Whether `addressOf` gives addresses, of the endpoint and signed with the credentials. */
  readonly signedDownloads: boolean;
  /** Without them the SDK uses its default credentials: environment, files, role of the machine. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** Bytes of one part, the least that S3 takes; at most one part is in memory. */
const partSize = 5 << 20;

/**
 * Blobs as objects of a bucket. The bucket should drop incomplete multipart uploads after a day: a killed writer may
 * leave one.
 */
export async function s3Store({
  bucket,
  region,
  endpoint,
  authorities,
  signedDownloads,
  credentials,
}: S3Options): Promise<BlobStore> {
  // 200 ms and 20 MB that an installation on disk does not pay.
  const { DeleteObjectCommand, GetObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
  const { Upload } = await import('@aws-sdk/lib-storage');
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  // It will not support Node 20 one day, and prints seven lines about that at each start.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const client = new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
    // A server that is away, or takes a connection and says nothing, is found out; a client that reads may pause meanwhile.
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: 120_000,
      ...(authorities === undefined ? {} : { httpsAgent: { ca: authorities } }),
    },
    // Servers other than Amazon's refuse the checksums that the SDK would add of itself.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const named = (key: string) => {
    checkKey(key);
    return { Bucket: bucket, Key: key };
  };
  return {
    async write(key, content) {
      let size = 0;
      let broken: { readonly error: unknown } | undefined;
      async function* counted(): AsyncGenerator<Uint8Array> {
        try {
          for await (const chunk of content) {
            size += chunk.length;
            yield chunk;
          }
        } catch (error) {
          broken = { error };
          throw error;
        }
      }
      const Body = Readable.from(counted(), { objectMode: false });
      try {
        await new Upload({ client, queueSize: 1, partSize, params: { ...named(key), Body } }).done();
      } catch (error) {
        // Aborting an upload may fail too; that error would hide the cause.
        throw broken === undefined ? error : broken.error;
      }
      return size;
    },

    async open(key, range) {
      try {
        const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
        const found = await client.send(new GetObjectCommand({ ...named(key), ...part }));
        // `bytes 0-9/1234`: of a part the length of the content is not that of the blob.
        const size = Number(found.ContentRange?.split('/')[1] ?? found.ContentLength ?? 0);
        return { size, content: found.Body as Readable };
      } catch (error) {
        if ((error as Error).name === 'NoSuchKey') return undefined;
        throw error;
      }
    },

    async addressOf(key, { seconds, contentType, contentDisposition }) {
      const reply = { ResponseContentType: contentType, ResponseContentDisposition: contentDisposition };
      const command = new GetObjectCommand({ ...named(key), ...reply });
      return signedDownloads ? getSignedUrl(client, command, { expiresIn: seconds }) : undefined;
    },

    async remove(key) {
      await client.send(new DeleteObjectCommand(named(key)));
    },

    close: () => client.destroy(),
  };
}
