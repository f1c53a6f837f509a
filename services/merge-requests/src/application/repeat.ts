import { logger } from '@switchyard/telemetry';

/**
 * Runs `work` at once and then again `everyMs` milliseconds after each end, failures logged under `name`. The returned function
 * stops it and waits for the run under way.
 */
export function repeat(name: string, everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    await work().catch((error) => logger.warn({ err: error, work: name }, 'background work failed and is tried again'));
    if (!stopped) timer = setTimeout(start, everyMs);
  };
  const start = (): void => {
    running = run();
  };
  start();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
