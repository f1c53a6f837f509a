import { setTimeout as rest } from 'node:timers/promises';
import { isAppError } from '@switchyard/errors';
import { logger } from '@switchyard/telemetry';
import { type ClaimedJob, type JobRequest, type Lane, lanes } from '../domain/job';

/** Asks for durable work; see `jobStore`. */
export interface JobRequests {
  enqueue(requests: readonly JobRequest[], delaySeconds?: number): Promise<void>;
}

/** The queue that workers take from; see `jobStore`. */
export interface JobQueue {
  claim(limit: number, among: Pick<Lane, 'kinds' | 'ofProject'>): Promise<ClaimedJob[]>;
  /** Milliseconds until the next job is due, 0 or less when one is; undefined without jobs. */
  dueIn(): Promise<number | undefined>;
  renew(ids: readonly number[]): Promise<void>;
  finish(job: ClaimedJob): Promise<void>;
  goOnLater(job: ClaimedJob): Promise<void>;
  postpone(job: ClaimedJob, seconds: number, error: string): Promise<void>;
}

/**
 * How a job ended: `again` when there is more to do, and it only lets others have their turn. A long job ends so after
 * a bounded part of its work.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: most handlers have nothing to return.
export type JobOutcome = 'again' | void;

/** One handler per kind of job. A handler is idempotent: a job may run again after its process crashed. */
export type JobHandlers = {
  [K in JobRequest['kind']]: (request: Extract<JobRequest, { kind: K }>) => Promise<JobOutcome>;
};

/**
 * Milliseconds between two polls of the queue for jobs of which a notice was lost; those committed wake the workers at
 * once.
 */
const pollMs = 5_000;
/** Milliseconds between two polls while a job is due that no worker has taken yet. */
const duePollMs = 500;
/** Milliseconds between two looks at when the next job is due, however many are requested. */
const restMs = 50;
/** Longest pause before a failed job runs again, seconds. */
const maxPauseSeconds = 300;

/** The workers of this process. */
export interface JobWorkers {
  wake(): void;
  /** Stops after the running jobs. */
  close(): Promise<void>;
}

/** Wakes one that waits; a call that comes before the wait is not lost. */
function bell() {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring(): void {
      rung = true;
      wake?.();
    },
    /** Forgets the calls so far: what follows sees what they announced. */
    reset(): void {
      rung = false;
    },
    /** Resolves at the next call since the last reset, and after `milliseconds`. */
    async wait(milliseconds?: number): Promise<void> {
      if (rung) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (milliseconds !== undefined) timer = setTimeout(resolve, milliseconds);
      });
      clearTimeout(timer);
      wake = undefined;
    },
  };
}

/**
 * Starts working on durable jobs.
 * @param leaseSeconds what a lease of the store lasts: those of running jobs are renewed three times as often
 */
export function startJobs(store: JobQueue, handlers: JobHandlers, leaseSeconds: number): JobWorkers {
  let closing = false;
  const running = new Set<number>();
  const crews = lanes.map((lane) => ({ lane, jobs: new Set<Promise<void>>(), bell: bell() }));
  const watching = bell();

  const ringAll = (): void => {
    for (const crew of crews) crew.bell.ring();
  };

  /** Wakes the workers when a job becomes due: one query for all of them. */
  async function watch(): Promise<void> {
    while (!closing) {
      watching.reset();
      const dueIn = await store.dueIn().catch((error) => {
        logger.warn({ err: error }, 'the job queue cannot be read');
        return undefined;
      });
      const isDue = dueIn !== undefined && dueIn <= 0;
      if (isDue) ringAll();
      if (!closing) await watching.wait(isDue ? duePollMs : Math.min(dueIn ?? pollMs, pollMs));
      if (!closing) await rest(restMs);
    }
  }

  async function run(job: ClaimedJob): Promise<void> {
    running.add(job.id);
    try {
      const handle = handlers[job.request.kind] as (request: JobRequest) => Promise<JobOutcome>;
      const outcome = await handle(job.request).catch((error) => {
        // The subject of the job, or its project, was deleted.
        if (!isAppError(error, 'not_found')) throw error;
      });
      await (outcome === 'again' ? store.goOnLater(job) : store.finish(job));
    } catch (error) {
      logger.warn({ err: error, job: job.request }, 'a job failed and is tried again');
      const pause = Math.min(maxPauseSeconds, 2 ** Math.min(job.attempts, 10) / 2);
      await store.postpone(job, pause, error instanceof Error ? error.message : String(error));
      // It is due sooner than the lease, which the last query found.
      watching.ring();
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

  const claim = (lane: Lane): Promise<ClaimedJob[]> =>
    store.claim(1, lane).catch((error) => {
      logger.warn({ err: error }, 'the job queue cannot be read');
      return [];
    });

  async function work({ lane, jobs, bell: own }: (typeof crews)[number]): Promise<void> {
    while (!closing) {
      own.reset();
      const [job] = jobs.size < lane.places ? await claim(lane) : [];
      if (job !== undefined) {
        const done: Promise<void> = run(job)
          .catch((error) => logger.warn({ err: error }, 'the outcome of a job was not stored'))
          .finally(() => {
            jobs.delete(done);
            own.ring();
          });
        jobs.add(done);
      } else if (!closing) {
        await own.wait();
        if (!closing && lane.restMs > 0) await rest(lane.restMs);
      }
    }
    await Promise.all(jobs);
  }

  const workers = [...crews.map(work), watch()];
  const wake = (): void => {
    ringAll();
    watching.ring();
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
