import type { Logger } from '@switchyard/telemetry';
import type { AlertPurge } from '../storage/alert-purge.store';

/** Milliseconds between two sweeps: what is purged is hidden already, so nothing hurries. */
const interval = 60_000;

/** Rows that one statement removes; keeps its locks short. */
const batch = 500;

/** Purges what belongs to deleted projects (D5), now and every minute. */
export function purgeAlerts({ purge, log }: { purge: AlertPurge; log: Logger }): { close(): Promise<void> } {
  let stopped = false;
  const sweep = async (): Promise<void> => {
    try {
      while (!stopped && (await purge.removeOrphans(batch)) > 0);
    } catch (error) {
      log.warn({ err: error }, 'alerts of deleted projects could not be purged');
    }
  };
  let running = sweep();
  const timer = setInterval(() => {
    running = running.then(sweep);
  }, interval);
  timer.unref();
  return {
    async close() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
