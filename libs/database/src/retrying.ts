import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '@switchyard/errors';
import { databaseError, isRetryable } from './errors';

/**
 * Runs a transaction again after a deadlock or serialization failure, at most `retries` times (5: some 0.6 s in all).
 * @throws AppError unavailable when others still hold what it needs: nothing was written, and the caller can try again
 */
export async function retrying<T>(attempt: () => Promise<T>, retries = 5): Promise<T> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error)) throw databaseError(error);
      if (tried >= retries) throw unavailable(error);
      await pause(2 ** tried * 10 * (1 + Math.random()));
    }
  }
}
