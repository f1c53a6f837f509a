import { uncounted } from '@switchyard/database';
import { logger } from '@switchyard/telemetry';

/** Milliseconds between two rounds. */
const interval = 2_000;

/** Runs jobs one after the other, every two seconds, until closed; a job that fails is tried again in the next round. */
export function housekeeping(jobs: Record<string, (signal: AbortSignal) => Promise<unknown>>): {
  start(): void;
  close(): Promise<void>;
} {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function round(): Promise<void> {
    for (const [name, job] of Object.entries(jobs)) {
      if (stopping.signal.aborted) return;
      await job(stopping.signal).catch((error) => logger.error({ err: error, job: name }, 'a job failed'));
    }
  }

  function schedule(): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      running = uncounted(round).then(schedule);
    }, interval);
  }

  return {
    start: schedule,
    async close() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
