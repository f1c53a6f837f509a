import { type Repeating, repeat } from '@switchyard/background';
import type { Database } from '@switchyard/database';
import { logger } from '@switchyard/telemetry';
import type { BlobRemains } from './blob-remains';
import type { BlobStore } from './blob-store';

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
  readonly remains: BlobRemains;
  readonly blobs: BlobStore;
  /** Called between the removal of blobs and that of their rows: tests end the process there. */
  readonly swept?: () => void;
}): Repeating {
  const { db, remains, blobs } = edges;

  const pruneBatch = () =>
    db.transaction(async (tx) => {
      const due = await remains.lockDue(tx, batch);
      const outcomes = await Promise.allSettled(due.map((blob) => blobs.remove(blob)));
      edges.swept?.();
      const stuck = due.filter((_, at) => outcomes[at]?.status === 'rejected');
      const removed = due.filter((_, at) => outcomes[at]?.status === 'fulfilled');
      await remains.settle(tx, removed, stuck);
      const failure = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failure !== undefined) logger.warn({ err: failure.reason, blobs: stuck }, 'blobs could not be removed');
      return due.length;
    });

  return repeat('blobs without a row', interval, async (stopping) => {
    while (!stopping.aborted && (await pruneBatch()) === batch);
  });
}
