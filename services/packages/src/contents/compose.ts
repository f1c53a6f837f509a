import type { Repeating } from '@switchyard/background';
import { blobRemains, blobVariables, openBlobStore, pruneBlobs } from '@switchyard/blobs';
import { type Area, command } from '@switchyard/service';
import type { Edges } from '../edges';
import { collectContents } from './application/collect-contents';
import type { ContentStore } from './application/contents.ports';
import { type Receiving, receiveContent } from './application/receive-content';
import { verifyContents } from './application/verify-contents';
import { contentStore } from './storage/content.store';
import { reportContents } from './transport/verify-blobs.command';

/** What other areas use of contents. */
export interface Contents extends Area, Receiving, Pick<ContentStore, 'keep'> {
  /** Starts the collection of contents that no file uses soon. */
  collectSoon(): void;
}

/** Builds the contents of files. */
export function composeContents({ db, blobs }: Pick<Edges, 'db' | 'blobs'>): Contents {
  const remains = blobRemains(db);
  const store = contentStore(db);
  let pruning: Repeating | undefined;
  let collecting: Repeating | undefined;
  const pruneSoon = () => pruning?.soon();
  return {
    ...receiveContent({ blobs, remains, contents: store, pruneSoon }),
    keep: store.keep,
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
