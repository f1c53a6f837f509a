import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Answer } from './answer-questions';

/** What threads may take. */
export interface ThreadLimits {
  /** Milliseconds for an answer. */
  readonly milliseconds: number;
  /** MiB of the heap of each. */
  readonly mebibytes: number;
  /** Threads at a time; further questions wait for them. */
  readonly most: number;
}

/** A question took more time or memory than a thread may take. */
export class ThreadOverrun extends Error {}

/** MiB of a heap for what has just been made: a thread keeps them, and what it answers lives no longer than the answer. */
const youngMebibytes = 4;

const isOver = (error: unknown): boolean => (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';

/**
 * Asks threads, one question at a time in each: what its author made to be slow or large holds up and ends nobody else. A
 * thread that has answered is kept for the next question; one whose answer nobody waits for any more is ended.
 * @param program file of the thread below `dist`, which calls `answerQuestions`: threads run what was built, in tests too
 * @returns gives the items of a question, page by page as they are read; fails with `ThreadOverrun`, and with what the
 * thread or the signal failed with
 */
export function inThreads<Question, Item>(program: string, { milliseconds, mebibytes, most }: ThreadLimits) {
  const idle: Worker[] = [];
  const waiting: (() => void)[] = [];
  let taken = 0;

  function begun(): Worker {
    const file = join(__dirname, '..', '..', 'dist', program);
    const made = new Worker(file, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: mebibytes, maxYoungGenerationSizeMb: youngMebibytes },
    });
    // Who waits for an answer gets the error; one that comes when nobody waits would end the process.
    made.on('error', () => undefined);
    made.once('exit', () => {
      const at = idle.indexOf(made);
      if (at >= 0) idle.splice(at, 1);
    });
    return made;
  }

  async function take(): Promise<Worker> {
    if (taken < most) taken += 1;
    else await new Promise<void>((next) => waiting.push(next));
    return idle.pop() ?? begun();
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) taken -= 1;
    else next();
  }

  async function ask(thread: Worker, question: Question | undefined, signal: AbortSignal): Promise<Answer<Item>> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), milliseconds);
    try {
      const answer = once(thread, 'message', { signal: AbortSignal.any([signal, timeout.signal]) });
      thread.postMessage(question);
      return (await answer)[0] as Answer<Item>;
    } catch (error) {
      throw timeout.signal.aborted || isOver(error) ? new ThreadOverrun() : error;
    } finally {
      clearTimeout(timer);
    }
  }

  return async function* read(question: Question, signal: AbortSignal): AsyncGenerator<Item> {
    const thread = await take();
    thread.ref();
    let isAsked = false;
    try {
      for (let [next, isLast]: [Question | undefined, boolean] = [question, false]; !isLast; next = undefined) {
        isAsked = true;
        const answer = await ask(thread, next, signal);
        isAsked = false;
        yield* answer.items;
        isLast = answer.isLast;
      }
    } finally {
      if (isAsked) await thread.terminate();
      else {
        thread.unref();
        idle.push(thread);
      }
      leave();
    }
  };
}
