import type { Database } from '@switchyard/database';
import type { Logger } from '@switchyard/telemetry';
import type { noteableStore } from '../storage/noteable.store';
import type { SnippetStore } from '../storage/snippet.store';

/** Milliseconds between two sweeps: what is purged is hidden already, so nothing hurries. */
const interval = 60_000;

/** Notes one statement removes; keeps its locks short. */
const batch = 1_000;

/** Purges snippets of deleted projects, and the notes of what has been deleted (D5), now and every minute. */
export function purgeNotes({
  db,
  noteables,
  snippets,
  log,
}: {
  db: Database;
  noteables: typeof noteableStore;
  snippets: SnippetStore;
  log: Logger;
}): {
  close(): Promise<void>;
} {
  let stopped = false;
  const sweep = async (): Promise<void> => {
    try {
      while (!stopped && (await noteables.emptyRemoved(db, batch)) > 0);
      while (!stopped && (await snippets.removeOrphans(batch)) > 0);
      await noteables.forget(db);
    } catch (error) {
      log.warn({ err: error }, 'notes of deleted objects could not be purged');
    }
  };
  let running = sweep();
  const timer = setInterval(() => {
    running = running.then(sweep);
  }, interval);
  timer.unref();
  return {
    async close() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
