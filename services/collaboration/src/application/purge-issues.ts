import type { Logger } from '@switchyard/telemetry';
import type { IssueStore } from '../storage/issue.store';

/** Milliseconds between two sweeps: what is purged is hidden already, so nothing hurries. */
const interval = 60_000;

/** Issues one statement removes; keeps its locks short. */
const batch = 500;

/** Purges the issues of deleted projects (D5), now and every minute. */
export function purgeIssues({ issues, log }: { issues: Pick<IssueStore, 'removeOrphans'>; log: Logger }): {
  close(): Promise<void>;
} {
  let stopped = false;
  const sweep = async (): Promise<void> => {
    try {
      while (!stopped && (await issues.removeOrphans(batch)) > 0);
    } catch (error) {
      log.warn({ err: error }, 'issues of deleted projects could not be purged');
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
