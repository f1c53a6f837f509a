import { ForgeProblem } from './domain/forge';

/** Fails with `error` after some time, when `waiting` is aborted as well; `stop` calls both off. */
export function deadline(waiting: AbortController, milliseconds: number, error: Error) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_settle, refuse) => {
    timer = setTimeout(() => {
      refuse(error);
      waiting.abort();
    }, milliseconds).unref();
  });
  // What was waited for may have been done long before.
  late.catch(() => undefined);
  return { late, stop: () => clearTimeout(timer) };
}

/** Milliseconds in which a forge answers a client that waits: no row is written after half a minute of a request. */
const answerMs = 20_000;

/**
 * The answer of a forge, in time.
 * @param waiting aborted when it takes too long
 * @param milliseconds 20 s where a client waits
 * @throws ForgeProblem later for none by then
 */
export function answerInTime<T>(waiting: AbortController, answer: Promise<T>, milliseconds = answerMs): Promise<T> {
  const text = `The forge does not answer within ${milliseconds / 1_000} seconds`;
  const { late, stop } = deadline(waiting, milliseconds, new ForgeProblem('later', text));
  return Promise.race([answer, late]).finally(stop);
}
