import type { Database } from '@switchyard/database';
import { repeat } from '@switchyard/rpc';
import type { noteableStore } from '../storage/noteable.store';
import type { SnippetStore } from '../storage/snippet.store';

/** Milliseconds between two sweeps: what is purged is hidden already, so nothing hurries. */
const interval = 60_000;

/** Notes one statement removes; keeps its locks short. */
const batch = 1_000;

/** Purges snippets of deleted projects, and the notes of what has been deleted (D5), now and every minute. */
export const purgeNotes = ({
  db,
  noteables,
  snippets,
}: {
  db: Database;
  noteables: typeof noteableStore;
  snippets: SnippetStore;
}) =>
  repeat('notes of what was deleted', interval, async (stopping) => {
    while (!stopping.aborted && (await noteables.emptyRemoved(db, batch)) > 0);
    while (!stopping.aborted && (await snippets.removeOrphans(batch)) > 0);
    await noteables.forget(db);
  });
