import type { Readable } from 'node:stream';

/** Bytes in the order in which they come. Chunks belong to the reader: their bytes do not change afterwards. */
export type Content = AsyncIterable<Uint8Array>;

/** A blob that is read. */
export interface StoredBlob {
  /** Bytes of the whole blob. */
  readonly size: number;
  /** Its content, or the part that was asked for. A caller that does not read it to the end destroys it. */
  readonly content: Readable;
}

/** A part of a blob: the bytes from `start` to `end`, both of them included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** How a blob is read by who has its address. */
export interface BlobAddressing {
  /** Seconds from now in which reading may begin, at most a week. */
  readonly seconds: number;
  readonly contentType: string;
  /** As in the header of this name. */
  readonly contentDisposition: string;
}

/**
 * Files under keys (D7). A key is written once, by one writer, and never changed: a new content has a new key. The
 * store does not know who needs a blob: the service that owns the rows removes blobs that no row names.
 */
export interface BlobStore {
  /**
   * Stores a blob. It is whole and durable when the promise resolves, and cannot be read before. After a failure of the
   * store or of `content`, whose error is rethrown, nothing can be read, and `remove` deletes what is left. Memory does
   * not depend on the size.
   * @returns bytes stored
   */
  write(key: string, content: Content): Promise<number>;
  /** Opens a blob, or a part of it, which must lie within; undefined when there is no blob. */
  open(key: string, range?: ByteRange): Promise<StoredBlob | undefined>;
  /**
   * An address at which whoever has it may read a blob for a while, whole or in part; undefined where the store gives
   * none: on disk, and on S3 unless `S3_SIGNED_DOWNLOADS` is set. Whether the blob is there is not looked at.
   */
  addressOf(key: string, how: BlobAddressing): Promise<string | undefined>;
  /** Removes a blob and what a failed or killed `write` left of it. It is no error if there is none. */
  remove(key: string): Promise<void>;
  /** Ends connections; the store is not used afterwards. */
  close(): void;
}

const keyForm = /^[a-z0-9_-]+(?:\/[a-z0-9_-]+)+$/;

/**
 * Refuses keys that are more than lower-case segments: no driver ever sees a dot, an empty segment or a name that a
 * user chose.
 * @throws Error for any other key
 */
export function checkKey(key: string): void {
  if (key.length > 200 || !keyForm.test(key)) throw new Error('a blob key is made of lower-case segments');
}
