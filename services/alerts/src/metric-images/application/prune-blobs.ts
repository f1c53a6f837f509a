import { type Repeating, repeat } from '@switchyard/background';
import type { BlobStore } from '@switchyard/blobs';
import type { Database } from '@switchyard/database';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import type { MetricImageStore } from './metric-image.ports';

faultPoints.push('metric_image.swept');

/** Milliseconds between two runs; deletions start one themselves. */
const interval = 60_000;

/** Blobs that are removed concurrently, while their rows are locked. */
const batch = 50;

/**
 * Removes due blobs, now, every minute and on request. A blob is removed before its row: after a crash in between, the
 * next run removes it again.
 */
export function pruneBlobs(edges: {
  readonly db: Database;
  readonly images: MetricImageStore;
  readonly blobs: BlobStore;
}): Repeating {
  const { db, images, blobs } = edges;

  const pruneBatch = () =>
    db.transaction(async (tx) => {
      const due = await images.lockUnusedBlobs(tx, batch);
      const outcomes = await Promise.allSettled(due.map((blob) => blobs.remove(blob)));
      faultPoint('metric_image.swept');
      const stuck = due.filter((_, at) => outcomes[at]?.status === 'rejected');
      const removed = due.filter((_, at) => outcomes[at]?.status === 'fulfilled');
      await images.settleUnusedBlobs(tx, removed, stuck);
      const failure = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failure !== undefined) logger.warn({ err: failure.reason, blobs: stuck }, 'blobs could not be removed');
      return due.length;
    });

  return repeat('blobs without an image', interval, async (stopping) => {
    while (!stopping.aborted && (await pruneBatch()) === batch);
  });
}
