import { repeat } from '@switchyard/background';
import type { Database } from '@switchyard/database';
import type { noteableStore } from '../../noteables';

/** Milliseconds between two purges: what is purged is hidden already, so it is not urgent. */
const interval = 60_000;

/** Notes one statement removes; keeps its locks short. */
const batch = 1_000;

/** What purging works with. */
export interface NotePurging {
  readonly db: Database;
  readonly noteables: typeof noteableStore;
  /** Purges up to `limit` drafts of deleted users, which no one can see; returns how many. */
  purgeDrafts(db: Database, limit: number): Promise<number>;
  /** Forgets up to `limit` notes that were begun and that nobody continues; returns how many. */
  forgetBegun(db: Database, limit: number): Promise<number>;
}

/** Purges the notes of what has been deleted (D5), now and every minute. */
export const purgeNotes = ({ db, noteables, purgeDrafts, forgetBegun }: NotePurging) =>
  repeat('notes of what was deleted', interval, async (stopping) => {
    while (!stopping.aborted && (await noteables.emptyRemoved(db, batch)) > 0);
    while (!stopping.aborted && (await purgeDrafts(db, batch)) === batch);
    while (!stopping.aborted && (await forgetBegun(db, batch)) === batch);
    await noteables.forget(db);
  });
