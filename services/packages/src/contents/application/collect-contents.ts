import { type Repeating, repeat } from '@switchyard/background';
import type { Database } from '@switchyard/database';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { ContentStore } from './contents.ports';

faultPoints.push('content.collected');

/** Milliseconds between two runs; deletions start one themselves. */
const interval = 60_000;

/** Contents that one transaction deletes. */
const batch = 100;

/** Deletes contents that no file uses any more, now, every minute and on request. */
export const collectContents = (db: Database, contents: ContentStore, pruneSoon: () => void): Repeating =>
  repeat('contents without a file', interval, async (stopping) => {
    let collected = batch;
    while (!stopping.aborted && collected === batch) {
      collected = await db.transaction((tx) => contents.collect(tx, batch));
      faultPoint('content.collected');
      if (collected > 0) pruneSoon();
    }
  });
