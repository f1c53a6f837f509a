import { logger } from '@switchyard/telemetry';

/** Work that is repeated. */
export interface Repeating {
  /** Starts the next run without its wait: at once, or after the current run. */
  soon(): void;
  /** Aborts the signal of the work and waits for the current run. */
  close(): Promise<void>;
}

/**
 * Runs `work` at once, and again `everyMs` milliseconds after each end; a failure is logged under `name`, and the next
 * run tries again. The wait for the next run keeps no process alive.
 */
export function repeat(name: string, everyMs: number, work: (stopping: AbortSignal) => Promise<unknown>): Repeating {
  const stopping = new AbortController();
  let isRequested = false;
  let wake = (): void => undefined;

  const wait = (): Promise<void> =>
    new Promise((settle) => {
      const timer = setTimeout(settle, everyMs).unref();
      wake = () => {
        clearTimeout(timer);
        settle();
      };
    });

  // One loop: a run that a request starts does not inherit the async context of the request.
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      isRequested = false;
      await work(stopping.signal).catch((error) =>
        logger.warn({ err: error, work: name }, 'background work failed and is tried again'),
      );
      if (!isRequested && !stopping.signal.aborted) await wait();
    }
  };
  const running = loop();
  return {
    soon() {
      isRequested = true;
      wake();
    },
    async close() {
      stopping.abort();
      wake();
      await running;
    },
  };
}
