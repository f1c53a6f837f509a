import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@switchyard/telemetry';
import type { ChangesPage, DirectoryStore } from '../storage/directory.store';
import { onDirectoryChange } from './directory-writer';

/** Milliseconds between two looks while a reader waits: changes of this process are seen at once, those of other replicas so. */
const lookInterval = 200;
/** Days for which changes are kept, so that a replica that was away as long needs no snapshot. */
const keepDays = 7;
const pruneInterval = 3_600_000;
const mostChanges = 5_000;
const longestWait = 30_000;

/** Serves readers of the directory and prunes its changes. */
export interface DirectoryFeed {
  /**
   * Changes after `after`, waiting up to `waitMs` for a first one.
   * @throws AppError gone when they have been pruned
   */
  readChanges(after: number, limit: number, waitMs: number, signal: AbortSignal): Promise<ChangesPage>;
  /** Every row at one sequence, in batches; the last one is empty. */
  snapshot(): ReturnType<DirectoryStore['snapshot']>;
  /** Starts pruning in the background. */
  start(): void;
  /** Ends every wait; those who wait get an empty page. */
  drain(): void;
}

/** The feed over a store. */
export function directoryFeed(store: DirectoryStore): DirectoryFeed {
  const draining = new AbortController();

  /** Resolves at the next change of this process, after a while, or when nobody waits any more. */
  async function nextLook(signal: AbortSignal, ms: number): Promise<void> {
    const woken = new AbortController();
    const forget = onDirectoryChange(() => woken.abort());
    try {
      await pause(ms, undefined, { signal: AbortSignal.any([signal, draining.signal, woken.signal]) });
    } catch {
      // Woken early.
    } finally {
      forget();
    }
  }

  async function prune(): Promise<void> {
    while (!draining.signal.aborted) {
      await store.prune(keepDays).catch((error) => logger.warn({ err: error }, 'directory changes were not pruned'));
      await pause(pruneInterval, undefined, { signal: draining.signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    async readChanges(after, limit, waitMs, signal) {
      const most = Math.min(limit === 0 ? 1_000 : limit, mostChanges);
      const deadline = Date.now() + Math.min(waitMs, longestWait);
      for (;;) {
        const page = await store.readChanges(after, most);
        const left = deadline - Date.now();
        // A head behind the reader means lost history: it learns so at once.
        const answered = page.changes.length > 0 || page.head < after;
        if (answered || left <= 0 || signal.aborted || draining.signal.aborted) return page;
        await nextLook(signal, Math.min(left, lookInterval));
      }
    },
    snapshot: () => store.snapshot(),
    start: () => void prune(),
    drain: () => draining.abort(),
  };
}
