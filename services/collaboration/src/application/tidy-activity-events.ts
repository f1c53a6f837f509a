import type { Logger } from '@switchyard/telemetry';
import type { ActivityEventStore } from '../storage/activity-event.store';

/** Years an activity event is kept (G-4.8-6). */
const keptYears = 3;

/** Milliseconds between two runs: what is due is days old or seen by nobody. */
const interval = 3_600_000;

/** Events one statement removes; keeps its locks short. */
const batch = 1_000;

/** Removes activity events of more than 3 years ago and those of deleted projects, now and every hour, a batch at a time. */
export function tidyActivityEvents({ events, log }: { events: ActivityEventStore; log: Logger }): {
  /** Runs once more; resolves when all that is due is gone. */
  run(): Promise<void>;
  close(): Promise<void>;
} {
  let stopped = false;
  const emptied = async (remove: () => Promise<number>): Promise<void> => {
    while (!stopped && (await remove()) === batch);
  };
  const tidy = async (): Promise<void> => {
    try {
      const oldest = new Date();
      oldest.setUTCFullYear(oldest.getUTCFullYear() - keptYears);
      await emptied(() => events.removeBefore(oldest, batch));
      await emptied(() => events.removeOrphans(batch));
    } catch (error) {
      log.warn({ err: error }, 'old activity events could not be removed');
    }
  };
  let running = tidy();
  const run = (): Promise<void> => {
    running = running.then(tidy);
    return running;
  };
  const timer = setInterval(run, interval);
  timer.unref();
  return {
    run,
    async close() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
