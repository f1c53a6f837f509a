import { createHash, randomUUID } from 'node:crypto';
import type { BlobRemains, BlobStore, Content } from '@switchyard/blobs';
import { AppError, isAppError, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { ReceivedContent } from '../domain/content';
import type { ContentStore } from './contents.ports';

faultPoints.push('content.expected', 'content.stored');

/** Milliseconds after which a content that is still being received counts as expected anew: a fraction of the hour that it has. */
const renewMs = 10 * 60_000;

/** Milliseconds that receiving may take: 5 GiB at 2 Mbit/s. */
export const longestUploadMs = 6 * 3_600_000;

/** What receiving works with. */
export interface ReceivingEdges {
  readonly blobs: BlobStore;
  /** Blobs that no row uses. */
  readonly remains: BlobRemains;
  readonly contents: Pick<ContentStore, 'blobOf'>;
  /** Starts pruning of due blobs soon. */
  readonly pruneSoon: () => void;
  /** The clock, in milliseconds; for tests. */
  readonly now?: () => number;
}

/** Receives the contents of files. */
export interface Receiving {
  /**
   * Stores a content as it comes, and passes it on to `use`, which makes a row of it. When `use` fails nothing is kept.
   * Fails with `too_large` beyond `limit` bytes, with `request_timeout` after six hours, and with `unavailable` with the
   * store. Memory does not depend on the
   * size; digests are computed in the same pass.
   */
  receive<T>(content: Content, limit: number, use: (received: ReceivedContent) => Promise<T>): Promise<T>;
}

/** A store that is full or cannot be reached is not the caller's fault. */
function asUnavailable(error: unknown): never {
  throw isAppError(error) ? error : unavailable(error);
}

/** Builds the receiving of contents. */
export function receiveContent({ blobs, remains, contents, pruneSoon, now = Date.now }: ReceivingEdges): Receiving {
  /** The blob of a content that is not stored with its size any more. A store that cannot be asked is no reason to replace it. */
  async function lostBlobOf(sha256: string, size: number): Promise<string | undefined> {
    const blob = await contents.blobOf(sha256);
    if (blob === undefined) return undefined;
    try {
      const found = await blobs.open(blob);
      found?.content.destroy();
      return found?.size === size ? undefined : blob;
    } catch {
      return undefined;
    }
  }

  async function store(blob: string, content: Content, limit: number): Promise<ReceivedContent> {
    const digests = { sha256: createHash('sha256'), sha1: createHash('sha1'), md5: createHash('md5') };
    const startedAt = now();
    let renewedAt = startedAt;
    let size = 0;
    async function stayExpected(): Promise<void> {
      if (now() - startedAt > longestUploadMs) throw new AppError('request_timeout');
      if (now() - renewedAt < renewMs) return;
      renewedAt = now();
      // Where this fails the next one comes long before the hour is over.
      await remains.renew(blob).catch(() => undefined);
    }
    async function* measured(): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        size += chunk.length;
        if (size > limit) throw new AppError('too_large');
        await stayExpected();
        for (const digest of Object.values(digests)) digest.update(chunk);
        yield chunk;
      }
    }
    await remains.expect(blob);
    faultPoint('content.expected');
    await blobs.write(blob, measured()).catch(asUnavailable);
    faultPoint('content.stored');
    const sha256 = digests.sha256.digest('hex');
    const others = { sha1: digests.sha1.digest('hex'), md5: digests.md5.digest('hex') };
    return { blob, size, sha256, ...others, replaces: await lostBlobOf(sha256, size) };
  }

  return {
    async receive(content, limit, use) {
      const blob = `packages/${randomUUID()}`;
      try {
        return await use(await store(blob, content, limit));
      } catch (error) {
        // If this fails too, the blob is pruned after an hour.
        await remains.discard(blob).then(pruneSoon, () => undefined);
        throw error;
      }
    },
  };
}
