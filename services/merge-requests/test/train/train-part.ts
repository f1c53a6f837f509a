import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { Caller } from '../../src/callers';
import type { JobOutcome, JobRequest } from '../../src/jobs';
import { jobStore } from '../../src/jobs/storage/job.store';
import { addCar } from '../../src/merge-requests/application/add-to-merge-train';
import { createMergeRequest } from '../../src/merge-requests/application/create-merge-request';
import { mergeMergeRequest } from '../../src/merge-requests/application/merge-merge-request';
import { updateMergeRequest } from '../../src/merge-requests/application/update-merge-request';
import { removeFromMergeTrain } from '../../src/merge-trains/application/remove-from-merge-train';
import { mergeTrainStore } from '../../src/merge-trains/storage/merge-train.store';
import { reportCommitStatus } from '../../src/pipelines/application/report-commit-status';
import { areasOn } from '../support/areas';

/** The Maintainer in whose name the tests act. */
export const maintainer: Caller = {
  userId: 2,
  username: 'user2',
  admin: false,
  external: false,
  level: 40,
  tier: 'ultimate',
  requestId: 'test',
};

/** Jobs one worker takes before it stops: a train that goes round in circles would take no end of them. */
const maxJobs = 60;

/** Whether merge requests could be merged concerns no train: its own look decides. */
const outsideTrains = sql`delete from jobs where kind not in ('merge_train', 'train_ref', 'settle_merge')`;

/**
 * What a merge-requests process does for trains, without its transport, on a volume and a database that others use as
 * well.
 */
export function trainPart(db: Database, dataFolder: string, now: () => Date) {
  const areas = areasOn({ db, prisma: {} as never }, { folder: dataFolder, clock: now });
  const { repositories, pipelines, mergeRequests, mergeTrains } = areas;
  const { edges } = mergeRequests;
  const trains = mergeTrainStore(db);
  const jobs = jobStore(db, 5);
  const handlers = { ...mergeRequests.jobHandlers, ...mergeTrains.jobHandlers };

  return {
    edges,
    runTrain: async (trainId: number): Promise<void> => {
      while ((await handlers.merge_train({ kind: 'merge_train', trainId })) === 'again');
    },
    changeRefs: repositories.changeRefs,
    reconcile: repositories.reconcile,
    repositoryOf: repositories.repositoryOf,
    open: repositories.openRepository,
    create: createMergeRequest(edges),
    update: updateMergeRequest(edges),
    report: reportCommitStatus(pipelines.edges),
    remove: removeFromMergeTrain({ ...edges, mergeTrains: trains }),
    merge: mergeMergeRequest(edges, mergeRequests.landing, mergeRequests.check),

    async addCar(id: number): Promise<void> {
      const view = await edges.mergeRequests.view({ id });
      if (view !== undefined) await addCar(edges, maintainer.userId, view, {});
    },

    /** Takes jobs of trains until there are none that are due. */
    async work(): Promise<void> {
      await db.query(outsideTrains);
      for (let done = 0; ; ) {
        const claimed = await jobs.claim(1);
        if (claimed.length === 0) return;
        for (const job of claimed) {
          done += 1;
          if (done > maxJobs) throw new Error(`jobs without end: ${JSON.stringify(job.request)}`);
          const outcome = await (handlers[job.request.kind] as (request: JobRequest) => Promise<JobOutcome>)(
            job.request,
          );
          await (outcome === 'again' ? jobs.goOnLater(job) : jobs.finish(job));
        }
        await db.query(outsideTrains);
      }
    },

    /** The sweeps of a process over what crashed ones left behind, some seconds later. */
    async lookAfter(): Promise<void> {
      await db.query(sql`update jobs set leased_until = null, run_at = now() where leased_until is not null`);
      await db.query(sql`
        update ref_change_intents set created_at = created_at - interval '1 minute', handle_at = now() - interval '1 second'
        where state = 'open' or handled_at is null`);
      await db.query(sql`update merge_request_merges set created_at = created_at - interval '1 minute'`);
      await repositories.reconcile();
      const abandoned = await edges.mergeRequests.abandonedMerges(5);
      const running = await db.query<{ id: number }>(sql`select id from merge_trains`);
      await edges.jobs.enqueue([
        ...abandoned.map((mergeRequestId) => ({ kind: 'settle_merge', mergeRequestId }) as const),
        ...running.map(({ id }) => ({ kind: 'merge_train', trainId: id }) as const),
      ]);
    },
  };
}

/** What `trainPart` gives. */
export type TrainPart = ReturnType<typeof trainPart>;
