import { logger } from '@switchyard/telemetry';

/** Work that is done again and again. */
export interface Repeating {
  /** Has the next run begin without its wait: at once, or when the run under way has ended. */
  soon(): void;
  /** Aborts the signal that the work is given and waits for the run under way. */
  close(): Promise<void>;
}

/**
 * Runs `work` at once, and again `everyMs` milliseconds after each end; what fails is logged under `name` and tried again by the next run.
 * The wait for the next run keeps no process alive.
 */
export function repeat(name: string, everyMs: number, work: (stopping: AbortSignal) => Promise<unknown>): Repeating {
  const stopping = new AbortController();
  let asked = false;
  let wake = (): void => undefined;

  const wait = (): Promise<void> =>
    new Promise((settle) => {
      const timer = setTimeout(settle, everyMs).unref();
      wake = () => {
        clearTimeout(timer);
        settle();
      };
    });

  // One loop: a run that was asked for by a request carries nothing of that request along.
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      asked = false;
      await work(stopping.signal).catch((error) =>
        logger.warn({ err: error, work: name }, 'background work failed and is tried again'),
      );
      if (!asked && !stopping.signal.aborted) await wait();
    }
  };
  const running = loop();
  return {
    soon() {
      asked = true;
      wake();
    },
    async close() {
      stopping.abort();
      wake();
      await running;
    },
  };
}
