import type { Repeating } from '@switchyard/background';
import { type BlobStore, blobRemains, blobVariables, openBlobStore, pruneBlobs } from '@switchyard/blobs';
import type { Tx } from '@switchyard/database';
import { type Area, command } from '@switchyard/service';
import type { Edges } from '../edges';
import { collectContents } from './application/collect-contents';
import { type Receiving, receiveContent } from './application/receive-content';
import { verifyContents } from './application/verify-contents';
import type { ReceivedContent } from './domain/content';
import { contentStore } from './storage/content.store';
import { reportContents } from './transport/verify-blobs.command';

/** What other areas use of contents. */
export interface Contents extends Area, Receiving {
  /** As `ContentStore.keep`: to publish a content again heals one whose blob was lost. */
  keep(tx: Tx, content: ReceivedContent): Promise<number | undefined>;
  /** Starts the collection of contents that no file uses soon. */
  collectSoon(): void;
}

/** Whether a blob is there with its size. A store that cannot be asked is no reason to replace it. */
async function isStored(blobs: BlobStore, blob: string, size: number): Promise<boolean> {
  try {
    const found = await blobs.open(blob, size > 0 ? { start: 0, end: 0 } : undefined);
    found?.content.destroy();
    return found?.size === size;
  } catch {
    return true;
  }
}

/** Builds the contents of files. */
export function composeContents({ db, blobs }: Pick<Edges, 'db' | 'blobs'>): Contents {
  const remains = blobRemains(db);
  const store = contentStore(db);
  let pruning: Repeating | undefined;
  let collecting: Repeating | undefined;
  const pruneSoon = () => pruning?.soon();
  return {
    ...receiveContent({ blobs, remains, pruneSoon }),
    keep: (tx, content) => store.keep(tx, content, (blob, size) => isStored(blobs, blob, size)),
    collectSoon: () => collecting?.soon(),
    start: () => {
      pruning = pruneBlobs({ db, remains, blobs });
      collecting = collectContents(db, store, pruneSoon);
      return [pruning, collecting];
    },
  };
}

/** The sub-command `verify-blobs`; see `reportContents`. */
export const verifyBlobs = command({
  variables: blobVariables,
  async run({ config, db, write }) {
    const blobs = await openBlobStore(config);
    try {
      return await reportContents(verifyContents(contentStore(db), blobs), write);
    } finally {
      blobs.close();
    }
  },
});
