import { isAppError } from '@switchyard/errors';

interface Asked<I, R> {
  readonly item: I;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins work on one subject: what is asked for while some of it is being done is done together in the next go, in the
 * order of asking. A go begins after everything in it was asked for, so nothing gets an answer older than its question.
 * When a go of several fails, each is done alone, so that one that cannot be done takes no other with it; unless what
 * it needs is away, which would be asked for in vain as often.
 * @param most items of one go
 * @param work gives one result per item, in the same order
 */
export function together<K, I, R>(
  most: number,
  work: (key: K, items: readonly I[]) => Promise<readonly R[]>,
): (key: K, item: I) => Promise<R> {
  const waiting = new Map<K, Asked<I, R>[]>();

  async function answer(key: K, asked: readonly Asked<I, R>[]): Promise<void> {
    try {
      const results = await work(
        key,
        asked.map(({ item }) => item),
      );
      for (const [at, { resolve }] of asked.entries()) resolve(results[at] as R);
    } catch (error) {
      if (asked.length === 1 || isAppError(error, 'unavailable')) for (const { reject } of asked) reject(error);
      else for (const one of asked) await answer(key, [one]);
    }
  }

  async function goOn(key: K, queue: Asked<I, R>[]): Promise<void> {
    while (queue.length > 0) await answer(key, queue.splice(0, most));
    waiting.delete(key);
  }

  return (key, item) =>
    new Promise((resolve, reject) => {
      const queue = waiting.get(key);
      if (queue !== undefined) {
        queue.push({ item, resolve, reject });
        return;
      }
      const first = [{ item, resolve, reject }];
      waiting.set(key, first);
      void goOn(key, first);
    });
}
