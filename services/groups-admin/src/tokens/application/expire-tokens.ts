import { workOff } from '@switchyard/background';
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
  dueBots(days: number, after: number, limit: number): Promise<{ readonly id: number }[]>;
  /** Deletes a bot as a user: the ghost becomes the author of what it wrote. */
  removeUser(userId: number): Promise<void>;
}

/**
 * What follows from the end of tokens: notices to their owners a week ahead, and the end of bots. Each step commits by
 * itself, so a process that dies goes on where it was.
 */
export const expireTokens =
  (expiry: TokenExpiry) =>
  async (stopping: AbortSignal): Promise<void> => {
    const steps = [() => expiry.publishExpiring(noticeDays, batch), () => expiry.noteInactiveBots(batch)];
    for (const step of steps) while (!stopping.aborted && (await step()) > 0);
    await workOff<{ readonly id: number }>(
      'bots without a good token',
      {
        next: (after, limit) => expiry.dueBots(keptDays, after, limit),
        work: ({ id }) =>
          expiry.removeUser(id).catch((error: unknown) => {
            // It still owns a group alone, or another replica was faster.
            if (!isAppError(error, 'conflict', 'not_found')) throw error;
          }),
      },
      stopping,
    );
  };
