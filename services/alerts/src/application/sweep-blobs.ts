import type { BlobStore } from '@switchyard/blobs';
import type { Database } from '@switchyard/database';
import { faultPoint, faultPoints } from '@switchyard/events';
import { repeat } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import type { MetricImageStore } from '../storage/metric-image.store';

faultPoints.push('metric_image.swept');

/** Milliseconds between two sweeps; deletions ask for one of their own. */
const interval = 60_000;

/** Blobs that are removed at the same time, while their rows are locked. */
const batch = 50;

/** The job that takes away blobs which no image names. */
export interface BlobSweeper {
  /** Sweeps as soon as a sweep that was asked for before has ended. */
  soon(): void;
  close(): Promise<void>;
}

/** Removes blobs that are due, now and every minute. A blob goes before its row: killed between, the next sweep removes it once more. */
export function sweepBlobs(edges: {
  readonly db: Database;
  readonly images: MetricImageStore;
  readonly blobs: BlobStore;
}): BlobSweeper {
  const { db, images, blobs } = edges;
  const stopping = new AbortController();

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

  async function sweep(): Promise<void> {
    while (!stopping.signal.aborted && (await sweepBatch()) === batch);
  }

  const regular = repeat('blobs without an image', interval, sweep);
  let asked: Promise<void> | undefined;
  let askedAgain = false;

  function soon(): void {
    askedAgain = asked !== undefined;
    if (askedAgain || stopping.signal.aborted) return;
    asked = sweep()
      // The regular sweep comes by in a minute, and says what is wrong.
      .catch(() => undefined)
      .finally(() => {
        asked = undefined;
        if (askedAgain) soon();
      });
  }

  return {
    soon,
    async close() {
      stopping.abort();
      askedAgain = false;
      await Promise.all([regular.close(), asked]);
    },
  };
}
