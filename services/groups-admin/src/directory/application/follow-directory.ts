import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Notices } from '@switchyard/database';
import type { DirectoryChange, DirectoryRow } from '@switchyard/protos/groups_admin/v1/directory';
import { logger } from '@switchyard/telemetry';
import { directoryChannel } from '../domain/directory-channel';

/** Milliseconds between two polls while a reader waits: finds changes of another replica whose notice was lost. */
const pollIntervalMs = 5_000;
/** Days for which changes are kept, so that a replica that was away as long needs no snapshot. */
const keepDays = 7;
const pruneInterval = 3_600_000;
const maxChanges = 5_000;
const maxWaitMs = 30_000;

/** Changes after a sequence, and the directory's last sequence. */
export interface ChangesPage {
  changes: DirectoryChange[];
  head: number;
}

/** Reads of the directory for the services that replicate it. */
export interface DirectoryStore {
  /** @throws AppError gone when changes after `after` have been pruned */
  readChanges(after: number, limit: number): Promise<ChangesPage>;
  /** Every row at one sequence, in batches; the last one is empty. */
  snapshot(): AsyncIterable<{ rows: DirectoryRow[]; sequence: number }>;
  /** Deletes changes older than `keepDays` days; returns how many. */
  prune(keepDays: number): Promise<number>;
}

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
  /** Ends every wait; waiting readers get an empty page. */
  drain(): void;
}

/** The feed over a store, of a database with these notices. */
export function directoryFeed(store: DirectoryStore, notices: Notices): DirectoryFeed {
  const draining = new AbortController();
  // One for each replica of each service.
  setMaxListeners(0, draining.signal);

  async function prune(): Promise<void> {
    while (!draining.signal.aborted) {
      await store.prune(keepDays).catch((error) => logger.warn({ err: error }, 'directory changes were not pruned'));
      await pause(pruneInterval, undefined, { signal: draining.signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    async readChanges(after, limit, waitMs, signal) {
      const most = Math.min(limit === 0 ? 1_000 : limit, maxChanges);
      const deadline = Date.now() + Math.min(waitMs, maxWaitMs);
      for (;;) {
        // Before the read: a change that commits right after it would otherwise be seen seconds later.
        const changed = new AbortController();
        const end = (): void => changed.abort();
        const unlisten = notices.listen(directoryChannel, end);
        // Not `AbortSignal.any`: a signal that lives as long as the process would remember every wait.
        draining.signal.addEventListener('abort', end);
        try {
          const page = await store.readChanges(after, most);
          const left = deadline - Date.now();
          // A head behind the reader means lost history: it learns so at once.
          const answered = page.changes.length > 0 || page.head < after;
          if (answered || left <= 0 || signal.aborted || draining.signal.aborted) return page;
          const ended = AbortSignal.any([signal, changed.signal]);
          await pause(Math.min(left, pollIntervalMs), undefined, { signal: ended }).catch(() => undefined);
        } finally {
          draining.signal.removeEventListener('abort', end);
          unlisten();
        }
      }
    },
    snapshot: () => store.snapshot(),
    start: () => void prune(),
    drain: () => draining.abort(),
  };
}
