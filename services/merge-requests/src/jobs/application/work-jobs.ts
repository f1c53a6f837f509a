import { isAppError } from '@switchyard/errors';
import { logger } from '@switchyard/telemetry';
import type { ClaimedJob, JobRequest } from '../domain/job';

/** Asks for durable work; see `jobStore`. */
export interface JobRequests {
  enqueue(requests: readonly JobRequest[], delaySeconds?: number): Promise<void>;
}

/** The queue that workers take from; see `jobStore`. */
export interface JobQueue {
  claim(limit: number, kinds?: readonly JobRequest['kind'][]): Promise<ClaimedJob[]>;
  /** Milliseconds until the next job is due, 0 or less when one is; undefined without jobs. */
  dueIn(): Promise<number | undefined>;
  renew(ids: readonly number[]): Promise<void>;
  finish(job: ClaimedJob): Promise<void>;
  postpone(job: ClaimedJob, seconds: number, error: string): Promise<void>;
}

/** One handler per kind of job. A handler is idempotent: a job may run again after its process crashed. */
export type JobHandlers = {
  [K in JobRequest['kind']]: (request: Extract<JobRequest, { kind: K }>) => Promise<void>;
};

/**
 * Milliseconds between two polls of the queue for jobs of which a notice was lost; those committed wake the workers at
 * once.
 */
const pollMs = 5_000;
/** Milliseconds between two polls while a job is due that no worker has taken yet. */
const duePollMs = 500;
/** Jobs of any kind that run at the same time; their cost is git processes. */
const parallel = 2;
/**
 * Jobs that landings wait for have one more worker of their own: checking whether two hundred merge requests can still
 * be merged, or rebasing in a large repository, would hold every landing of the process up for seconds.
 */
const landingKinds: readonly JobRequest['kind'][] = ['merge_train', 'settle_merge'];
/** Longest pause before a failed job runs again, seconds. */
const maxPauseSeconds = 300;

/** The workers of this process. */
export interface JobWorkers {
  wake(): void;
  /** Stops after the running jobs. */
  close(): Promise<void>;
}

/**
 * Starts working on durable jobs.
 * @param leaseSeconds what a lease of the store lasts: those of running jobs are renewed three times as often
 */
export function startJobs(store: JobQueue, handlers: JobHandlers, leaseSeconds: number): JobWorkers {
  let closing = false;
  const running = new Set<number>();
  const sleepers = new Set<() => void>();
  let pollSoon = (): void => undefined;

  const sleep = (): Promise<void> => new Promise((resolve) => sleepers.add(resolve));

  const wakeWorkers = (): void => {
    for (const wakeOne of sleepers) wakeOne();
    sleepers.clear();
  };

  /** Wakes the workers when a job becomes due: one query for all of them. */
  async function watch(): Promise<void> {
    while (!closing) {
      let isRequested = false;
      pollSoon = () => {
        isRequested = true;
      };
      const dueIn = await store.dueIn().catch((error) => {
        logger.warn({ err: error }, 'the job queue cannot be read');
        return undefined;
      });
      const isDue = dueIn !== undefined && dueIn <= 0;
      if (isDue) wakeWorkers();
      if (isRequested || closing) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, isDue ? duePollMs : Math.min(dueIn ?? pollMs, pollMs));
        pollSoon = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async function run(job: ClaimedJob): Promise<void> {
    running.add(job.id);
    try {
      await (handlers[job.request.kind] as (request: JobRequest) => Promise<void>)(job.request).catch((error) => {
        // The subject of the job, or its project, was deleted.
        if (!isAppError(error, 'not_found')) throw error;
      });
      await store.finish(job);
    } catch (error) {
      logger.warn({ err: error, job: job.request }, 'a job failed and is tried again');
      const pause = Math.min(maxPauseSeconds, 2 ** Math.min(job.attempts, 10) / 2);
      await store.postpone(job, pause, error instanceof Error ? error.message : String(error));
      // It is due sooner than the lease, which the last query found.
      pollSoon();
    } finally {
      running.delete(job.id);
    }
  }

  const renewal = setInterval(
    () => {
      if (running.size === 0) return;
      store.renew([...running]).catch((error) => logger.warn({ err: error }, 'the leases of jobs were not renewed'));
    },
    (leaseSeconds * 1_000) / 3,
  );

  async function work(kinds?: readonly JobRequest['kind'][]): Promise<void> {
    while (!closing) {
      const jobs = await store.claim(1, kinds).catch((error) => {
        logger.warn({ err: error }, 'the job queue cannot be read');
        return [];
      });
      if (jobs.length === 0 && !closing) await sleep();
      for (const job of jobs) {
        await run(job).catch((error) => logger.warn({ err: error }, 'the outcome of a job was not stored'));
      }
    }
  }

  const workers = [work(landingKinds), ...Array.from({ length: parallel }, () => work()), watch()];
  const wake = (): void => {
    wakeWorkers();
    pollSoon();
  };
  return {
    wake,
    async close() {
      closing = true;
      wake();
      await Promise.all(workers);
      clearInterval(renewal);
    },
  };
}
