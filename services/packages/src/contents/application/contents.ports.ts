import type { Tx } from '@switchyard/database';
import type { ReceivedContent, StoredContent } from '../domain/content';

/** Contents as rows, each with the number of files that use it. */
export interface ContentStore {
  /**
   * Id of the row of a content, which is locked until the transaction ends, so that it cannot be collected meanwhile. The
   * first blob of a content stays, unless the received one replaces it; the other one becomes due for removal. Undefined when
   * the received blob was pruned.
   */
  keep(tx: Tx, content: ReceivedContent): Promise<number | undefined>;
  /** The blob of a content; undefined where there is no such content. */
  blobOf(sha256: string): Promise<string | undefined>;
  /** Deletes up to `limit` contents that no file uses, and makes their blobs due for removal. Returns how many. */
  collect(tx: Tx, limit: number): Promise<number>;
  /** The next contents after an id, by their ids. */
  after(id: number, limit: number): Promise<StoredContent[]>;
  /** Whether a content is there still. */
  exists(id: number): Promise<boolean>;
}
