import type { Tx } from '@switchyard/database';
import type { ReceivedContent, StoredContent } from '../domain/content';

/** Contents as rows, each with the number of files that use it. */
export interface ContentStore {
  /**
   * Id of the row of a content, which is locked until the transaction ends, so that it cannot be collected meanwhile. The
   * received blob becomes that of the content, so that publishing again heals one that was lost or damaged; the blob before
   * it is due for removal after an hour. Undefined when the received blob was pruned; the transaction must fail then.
   */
  keep(tx: Tx, content: ReceivedContent): Promise<number | undefined>;
  /** Deletes up to `limit` contents that no file uses, and makes their blobs due for removal. Returns how many. */
  collect(tx: Tx, limit: number): Promise<number>;
  /** The next contents after an id, by their ids. */
  after(id: number, limit: number): Promise<StoredContent[]>;
  /** Whether a content is there still. */
  exists(id: number): Promise<boolean>;
}
