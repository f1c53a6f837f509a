import { type Repeating, repeat } from '@switchyard/background';
import type { BlobStore } from '@switchyard/blobs';
import type { Database } from '@switchyard/database';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import type { MetricImageStore } from './metric-image.ports';

faultPoints.push('metric_image.swept');

/** Milliseconds between two sweeps; deletions ask for one of their own. */
const interval = 60_000;

/** Blobs that are removed at the same time, while their rows are locked. */
const batch = 50;

/** Removes blobs that are due, now, every minute and when asked. A blob goes before its row: killed between, the next sweep removes it once more. */
export function sweepBlobs(edges: {
  readonly db: Database;
  readonly images: MetricImageStore;
  readonly blobs: BlobStore;
}): Repeating {
  const { db, images, blobs } = edges;

  const sweepBatch = () =>
    db.transaction(async (tx) => {
      const due = await images.takeRemains(tx, batch);
      const outcomes = await Promise.allSettled(due.map((blob) => blobs.remove(blob)));
      faultPoint('metric_image.swept');
      const stuck = due.filter((_, at) => outcomes[at]?.status === 'rejected');
      const removed = due.filter((_, at) => outcomes[at]?.status === 'fulfilled');
      await images.settleRemains(tx, removed, stuck);
      const failure = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failure !== undefined) logger.warn({ err: failure.reason, blobs: stuck }, 'blobs could not be removed');
      return due.length;
    });

  return repeat('blobs without an image', interval, async (stopping) => {
    while (!stopping.aborted && (await sweepBatch()) === batch);
  });
}
