import { isAppError } from '@switchyard/errors';
import { keptDays } from '../domain/access-token';

/** Days before its end at which the owner of a token is notified. */
export const noticeDays = 7;

/** Rows that one transaction takes at the most. */
const batch = 100;

/** What the nightly work on tokens reads and writes; several replicas may do it at once. */
export interface TokenExpiry {
  /**
   * Publishes `token_expiring` for up to `limit` tokens that end within `days` days, each once, in one transaction; returns
   * how many. Those of impersonations are left out, since their users do not know of them.
   */
  publishExpiring(days: number, limit: number): Promise<number>;
  /** Notes up to `limit` bots whose last token has expired, and ends their memberships; returns how many. */
  noteInactiveBots(limit: number): Promise<number>;
  /**
   * Up to `limit` bots with ids above `after`, ascending, without a good token for `days` days, or whose project or group
   * was purged.
   */
  dueBots(days: number, after: number, limit: number): Promise<number[]>;
  /** Deletes a bot as a user: the ghost becomes the author of what it wrote. */
  removeUser(userId: number): Promise<void>;
}

/**
 * Deletes the due bots, each once in a run: one that cannot be deleted holds up no other.
 * @returns how many were deleted
 * @throws the first error that was not expected, once all were tried
 */
async function removeDueBots(expiry: TokenExpiry, signal: AbortSignal | undefined): Promise<number> {
  const problems: unknown[] = [];
  let [removed, last] = [0, 0];
  for (let isLastPage = false; !isLastPage; ) {
    const userIds = await expiry.dueBots(keptDays, last, batch);
    isLastPage = userIds.length < batch;
    for (const userId of userIds) {
      if (signal?.aborted === true) return removed;
      last = userId;
      try {
        await expiry.removeUser(userId);
        removed += 1;
      } catch (error) {
        // It still owns a group alone, or another replica was faster.
        if (!isAppError(error, 'conflict', 'not_found')) problems.push(error);
      }
    }
  }
  if (problems.length > 0) throw problems[0];
  return removed;
}

/**
 * What follows from the end of tokens: notices to their owners a week ahead, and the end of bots. Each step commits by
 * itself, so a process that dies goes on where it was. Returns how many rows were done.
 */
export const expireTokens =
  (expiry: TokenExpiry) =>
  async (signal?: AbortSignal): Promise<number> => {
    let done = 0;
    const steps = [() => expiry.publishExpiring(noticeDays, batch), () => expiry.noteInactiveBots(batch)];
    for (const step of steps)
      for (let count = 1; count > 0 && signal?.aborted !== true; done += count) count = await step();
    return done + (await removeDueBots(expiry, signal));
  };
