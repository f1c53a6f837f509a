import type { Database } from '@switchyard/database';
import { type JobHandlers, type JobRequests, startJobs } from './application/work-jobs';
import { jobStore } from './storage/job.store';

/** The queue of durable work. */
export interface Jobs {
  readonly requests: JobRequests;
  /** Starts the workers of this process; jobs that it commits itself wake them at once. */
  startWorkers(handlers: JobHandlers): { close(): Promise<void> };
}

/**
 * Builds the queue.
 * @param leaseSeconds what a claimed job is left to its process before another one takes it over
 * @param storages those whose jobs this process works on; undefined: all
 */
export function composeJobs(db: Database, leaseSeconds: number, storages?: readonly string[]): Jobs {
  const queue = jobStore(db, leaseSeconds, storages);
  return {
    requests: queue,
    startWorkers(handlers) {
      const workers = startJobs(queue, handlers, leaseSeconds);
      const unlisten = queue.onJobs(workers.wake);
      return {
        close() {
          unlisten();
          return workers.close();
        },
      };
    },
  };
}
