import type { BlobStore } from '@switchyard/blobs';
import type { Database } from '@switchyard/database';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { Logger } from '@switchyard/telemetry';
import type { MetricImageStore } from '../storage/metric-image.store';

faultPoints.push('metric_image.swept');

/** Milliseconds between two sweeps; deletions ask for one of their own. */
const interval = 60_000;

/** Blobs that are removed at the same time, while their rows are locked. */
const batch = 50;

/** The job that takes away blobs which no image names. */
export interface BlobSweeper {
  /** Sweeps as soon as a sweep that runs has ended. */
  soon(): void;
  close(): Promise<void>;
}

/** Removes blobs that are due, now and every minute. A blob goes before its row: killed between, the next sweep removes it once more. */
export function sweepBlobs(edges: {
  readonly db: Database;
  readonly images: MetricImageStore;
  readonly blobs: BlobStore;
  readonly log: Logger;
}): BlobSweeper {
  const { db, images, blobs, log } = edges;
  let stopped = false;
  let queued = false;

  const sweepBatch = () =>
    db.transaction(async (tx) => {
      const due = await images.takeRemains(tx, batch);
      const outcomes = await Promise.allSettled(due.map((blob) => blobs.remove(blob)));
      faultPoint('metric_image.swept');
      const stuck = due.filter((_, at) => outcomes[at]?.status === 'rejected');
      const removed = due.filter((_, at) => outcomes[at]?.status === 'fulfilled');
      await images.settleRemains(tx, removed, stuck);
      const failure = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failure !== undefined) log.warn({ err: failure.reason, count: stuck.length }, 'blobs could not be removed');
      return due.length;
    });

  async function sweep(): Promise<void> {
    queued = false;
    try {
      while (!stopped && (await sweepBatch()) === batch);
    } catch (error) {
      log.warn({ err: error }, 'blobs without an image could not be looked up');
    }
  }

  let running = sweep();
  const soon = (): void => {
    if (queued || stopped) return;
    queued = true;
    running = running.then(sweep);
  };
  const timer = setInterval(soon, interval);
  timer.unref();
  return {
    soon,
    async close() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
