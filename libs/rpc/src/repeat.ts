import { logger } from '@switchyard/telemetry';

/**
 * Runs `work` at once, and again `everyMs` milliseconds after each end; what fails is logged under `name` and tried again by the next run.
 * Closing aborts the signal that `work` is given and waits for the run under way. The wait for the next run keeps no process alive.
 */
export function repeat(
  name: string,
  everyMs: number,
  work: (stopping: AbortSignal) => Promise<void>,
): { close(): Promise<void> } {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const run = async (): Promise<void> => {
    await work(stopping.signal).catch((error) =>
      logger.warn({ err: error, work: name }, 'background work failed and is tried again'),
    );
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      running = run();
    }, everyMs).unref();
  };
  let running = run();
  return {
    async close() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
