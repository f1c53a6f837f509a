import { createHash } from 'node:crypto';
import type { BlobStore } from '@switchyard/blobs';
import type { StoredContent } from '../domain/content';
import type { ContentStore } from './contents.ports';

/** Contents that one statement reads. */
const batch = 100;

/** What a content is found to be. */
export interface ContentVerdict {
  readonly content: StoredContent;
  /** What differs from its row; undefined for nothing. */
  readonly difference: string | undefined;
}

async function differenceOf(blobs: BlobStore, { blob, size, sha256, sha1, md5 }: StoredContent) {
  const found = await blobs.open(blob);
  if (found === undefined) return 'its blob is missing';
  const digests = { sha256: createHash('sha256'), sha1: createHash('sha1'), md5: createHash('md5') };
  let read = 0;
  for await (const chunk of found.content) {
    read += (chunk as Uint8Array).length;
    for (const digest of Object.values(digests)) digest.update(chunk as Uint8Array);
  }
  if (read !== size) return `${read} bytes instead of ${size}`;
  const expected = { sha256, sha1, md5 };
  const differing = (['sha256', 'sha1', 'md5'] as const).filter((one) => digests[one].digest('hex') !== expected[one]);
  return differing.length === 0 ? undefined : `another ${differing.join(' and ')}`;
}

/** A blob that cannot be read says so, and the others are looked at all the same. */
const verdictOf = (blobs: BlobStore, content: StoredContent): Promise<string | undefined> =>
  differenceOf(blobs, content).catch((error: Error) => `its blob cannot be read: ${error.message}`);

/**
 * Reads every content that was there at the start and compares its size and digests with its row, one after the other;
 * memory does not depend on sizes. A content that is collected meanwhile differs from nothing.
 */
export async function* verifyContents(
  contents: Pick<ContentStore, 'after' | 'exists'>,
  blobs: BlobStore,
): AsyncGenerator<ContentVerdict> {
  let last = 0;
  for (;;) {
    const some = await contents.after(last, batch);
    for (const content of some) {
      const difference = await verdictOf(blobs, content);
      if (difference === undefined || (await contents.exists(content.id))) yield { content, difference };
      last = content.id;
    }
    if (some.length < batch) return;
  }
}
