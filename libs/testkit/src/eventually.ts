import { setTimeout as pause } from 'node:timers/promises';

/**
 * Calls `check` until it stops throwing and returns its result; after `within` milliseconds (default 10,000) the last error is thrown.
 * @param every milliseconds between two tries; default 20
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { within = 10_000, every = 20 }: { within?: number; every?: number } = {},
): Promise<T> {
  const deadline = Date.now() + within;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
      await pause(every);
    }
  }
}
