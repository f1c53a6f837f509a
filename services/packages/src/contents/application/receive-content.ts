import { createHash, randomUUID } from 'node:crypto';
import type { BlobRemains, BlobStore, Content } from '@switchyard/blobs';
import { AppError, isAppError, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { ReceivedContent } from '../domain/content';

faultPoints.push('content.expected', 'content.stored');

/** What receiving works with. */
export interface ReceivingEdges {
  readonly blobs: BlobStore;
  /** Blobs that no row uses. */
  readonly remains: BlobRemains;
  /** Starts pruning of due blobs soon. */
  readonly pruneSoon: () => void;
}

/** Receives the contents of files. */
export interface Receiving {
  /**
   * Stores a content as it comes, and passes it on to `use`, which makes a row of it. When `use` fails nothing is kept.
   * Fails with `too_large` beyond `limit` bytes, and with `unavailable` with the store. Memory does not depend on the
   * size; digests are computed in the same pass.
   */
  receive<T>(content: Content, limit: number, use: (received: ReceivedContent) => Promise<T>): Promise<T>;
}

/** A store that is full or cannot be reached is not the caller's fault. */
function asUnavailable(error: unknown): never {
  throw isAppError(error) ? error : unavailable(error);
}

/** Builds the receiving of contents. */
export function receiveContent({ blobs, remains, pruneSoon }: ReceivingEdges): Receiving {
  async function store(blob: string, content: Content, limit: number): Promise<ReceivedContent> {
    const digests = { sha256: createHash('sha256'), sha1: createHash('sha1'), md5: createHash('md5') };
    let size = 0;
    async function* measured(): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        size += chunk.length;
        if (size > limit) throw new AppError('too_large');
        for (const digest of Object.values(digests)) digest.update(chunk);
        yield chunk;
      }
    }
    await remains.expect(blob);
    faultPoint('content.expected');
    await blobs.write(blob, measured()).catch(asUnavailable);
    faultPoint('content.stored');
    const { sha256, sha1, md5 } = digests;
    return { blob, size, sha256: sha256.digest('hex'), sha1: sha1.digest('hex'), md5: md5.digest('hex') };
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
