import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BomPart } from '../../boms';
import { fieldsOf } from '../domain/lock-list';
import { unreadable } from '../domain/read-lock-file';

/** What a thread is asked: to read a file, or for more of the last one. */
export type Question = { readonly path: string; readonly text: string } | undefined;

/** What a thread answers. */
export interface Answer {
  readonly parts: readonly BomPart[];
  readonly isLast: boolean;
}

/** What a thread may take. */
export interface ThreadLimits {
  /** Milliseconds for an answer. */
  readonly milliseconds: number;
  /** MiB of its heap. */
  readonly mebibytes: number;
}

/** A file of 8 MiB needs a few seconds, and 200 MiB of heap at most. */
const limits: ThreadLimits = { milliseconds: 60_000, mebibytes: 256 };

/** Threads run what was built, in tests too. */
const program = join(__dirname, '..', '..', '..', 'dist', 'lock-files', 'application', 'lock-file.worker.js');

const isOver = (error: unknown): boolean => fieldsOf(error).code === 'ERR_WORKER_OUT_OF_MEMORY';

/**
 * Reads lock files in threads, one file at a time in each: a file that its author made to be slow or large holds up and
 * ends nobody else. What takes more than 60 seconds or 256 MiB of heap is named as unreadable. A thread is ended with
 * its reader, and is kept for the next file where all was read.
 */
export function readInThread({ milliseconds, mebibytes }: ThreadLimits = limits) {
  const idle: Worker[] = [];

  function begun(): Worker {
    const made = new Worker(program, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: mebibytes } });
    // Who waits for an answer gets the error; one that comes when nobody waits would end the process.
    made.on('error', () => undefined);
    made.once('exit', () => {
      const at = idle.indexOf(made);
      if (at >= 0) idle.splice(at, 1);
    });
    return made;
  }

  return async function* read(path: string, text: string, signal: AbortSignal): AsyncGenerator<BomPart> {
    const thread = idle.pop() ?? begun();
    thread.ref();
    let isRead = false;
    let question: Question = { path, text };
    const timeout = new AbortController();
    try {
      while (!isRead) {
        const timer = setTimeout(() => timeout.abort(), milliseconds);
        const answer = once(thread, 'message', { signal: AbortSignal.any([signal, timeout.signal]) });
        thread.postMessage(question);
        question = undefined;
        const [{ parts, isLast }] = (await answer.finally(() => clearTimeout(timer))) as [Answer];
        yield* parts;
        isRead = isLast;
      }
    } catch (error) {
      if (!timeout.signal.aborted && !isOver(error)) throw error;
      yield unreadable(path);
    } finally {
      if (isRead) {
        thread.unref();
        idle.push(thread);
      } else await thread.terminate();
    }
  };
}

/** What `readInThread` gives. */
export type ReadLockFile = ReturnType<typeof readInThread>;
