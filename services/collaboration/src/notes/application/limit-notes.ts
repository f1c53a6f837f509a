import type { Database } from '@switchyard/database';
import { usersByIds } from '@switchyard/directory';
import { tooManyRequests } from '@switchyard/errors';
import type { NoteRateStore } from './note.ports';

/** Seconds over which comments are counted (G-4.6-10). */
const seconds = 60;

/** What the limit needs. */
export interface NoteLimit {
  readonly db: Database;
  readonly rates: NoteRateStore;
  /** Comments a minute and user; 0: as many as they like. */
  readonly perMinute: number;
  /** Usernames in lower case whom the limit does not hold. */
  readonly unlimited: ReadonlySet<string>;
}

/**
 * Counts a request to comment, also one that fails, and refuses it over the limit with `rate_limited` (G-4.6-10).
 * Threads are not counted.
 */
export const limitNotes =
  ({ db, rates, perMinute, unlimited }: NoteLimit) =>
  async (userId: number): Promise<void> => {
    if (perMinute === 0 || (await rates.count(userId, seconds)) <= perMinute) return;
    const username = unlimited.size === 0 ? undefined : (await usersByIds(db, [userId])).get(userId)?.username;
    if (username !== undefined && unlimited.has(username.toLowerCase())) return;
    throw tooManyRequests(seconds);
  };
