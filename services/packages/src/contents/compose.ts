import type { Repeating } from '@switchyard/background';
import { blobRemains, pruneBlobs } from '@switchyard/blobs';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { collectContents } from './application/collect-contents';
import type { ContentStore } from './application/contents.ports';
import { type Receiving, receiveContent } from './application/receive-content';
import { contentStore } from './storage/content.store';

/** What other areas use of contents. */
export interface Contents extends Area, Receiving, Pick<ContentStore, 'keep'> {
  /** Starts the collection of contents that no file uses soon. */
  collectSoon(): void;
}

/** Builds the contents of files. */
export function composeContents({ db, blobs }: Pick<Edges, 'db' | 'blobs'>): Contents {
  const remains = blobRemains(db);
  let pruning: Repeating | undefined;
  let collecting: Repeating | undefined;
  const pruneSoon = () => pruning?.soon();
  return {
    ...receiveContent({ blobs, remains, pruneSoon }),
    keep: contentStore.keep,
    collectSoon: () => collecting?.soon(),
    start: () => {
      pruning = pruneBlobs({ db, remains, blobs });
      collecting = collectContents(db, contentStore, pruneSoon);
      return [pruning, collecting];
    },
  };
}
