import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { Caller } from '../../src/callers';
import type { JobOutcome, JobRequest } from '../../src/jobs';
import { jobStore } from '../../src/jobs/storage/job.store';
import { addCar } from '../../src/merge-requests/application/add-to-merge-train';
import { createMergeRequest } from '../../src/merge-requests/application/create-merge-request';
import { mergeMergeRequest } from '../../src/merge-requests/application/merge-merge-request';
import { updateMergeRequest } from '../../src/merge-requests/application/update-merge-request';
import { decideMovingToFront } from '../../src/merge-requests/domain/auto-merge-change';
import { controlMergeTrain } from '../../src/merge-trains/application/control-merge-train';
import { removeFromMergeTrain } from '../../src/merge-trains/application/remove-from-merge-train';
import { landingVerifier } from '../../src/merge-trains/application/verify-landings';
import { landingReceiptStore } from '../../src/merge-trains/storage/landing-receipt.store';
import { mergeTrainStore } from '../../src/merge-trains/storage/merge-train.store';
import { trainControlStore } from '../../src/merge-trains/storage/merge-train-control.store';
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
const maxJobs = 120;

/** Whether merge requests could be merged concerns no train: its own look decides. */
const outsideTrains = sql`delete from jobs where kind not in ('merge_train', 'train_ref', 'settle_merge', 'merge_request_facts')`;

/**
 * What a merge-requests process does for trains, without its transport, on a volume and a database that others use as
 * well.
 */
export function trainPart(db: Database, dataFolder: string, now: () => Date) {
  const areas = areasOn({ db, prisma: {} as never }, { folder: dataFolder, clock: now });
  const { repositories, pipelines, mergeRequests, mergeTrains, repositorySizes } = areas;
  const { edges } = mergeRequests;
  const trains = mergeTrainStore(db);
  const jobs = jobStore(db, 5);
  const handlers = {
    ...repositories.jobHandlers,
    ...mergeRequests.jobHandlers,
    ...mergeTrains.jobHandlers,
    ...repositorySizes.jobHandlers,
  };

  return {
    edges,
    runTrain: async (trainId: number): Promise<void> => {
      while ((await handlers.merge_train({ kind: 'merge_train', trainId })) === 'again');
    },
    changeRefs: repositories.changeRefs,
    reconcile: repositories.reconcile,
    open: repositories.openRepository,
    create: createMergeRequest(edges),
    update: updateMergeRequest(edges),
    report: reportCommitStatus(pipelines.edges),
    remove: removeFromMergeTrain({ ...edges, mergeTrains: trains, wakeTrainAt: () => undefined }),
    control: controlMergeTrain({ clock: now, trainControls: trainControlStore(db) }),
    merge: mergeMergeRequest(edges, mergeRequests.landing, mergeRequests.check),

    async addCar(id: number, first: boolean): Promise<void> {
      const view = await edges.mergeRequests.view({ id });
      if (view !== undefined) await addCar(edges, maintainer.userId, view, { first });
    },

    async moveToFront(id: number): Promise<void> {
      await edges.mergeRequests.change(id, maintainer.userId, decideMovingToFront);
    },

    /** What git and the receipts of a project's landings differ in. */
    async differences(projectId: number): Promise<string[]> {
      const { repositoryOf } = repositories;
      const verifier = landingVerifier({ receipts: landingReceiptStore(db), repositoryOf, clock: now });
      const found: string[] = [];
      for await (const { receipt, differences } of verifier.verify('unverified')) {
        if (receipt.projectId === projectId) {
          found.push(...differences.map((difference) => `!${receipt.mergeRequestIid}: ${difference}`));
        }
      }
      return found;
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

    /** The sweeps of a process over what crashed ones left behind, `seconds` later. */
    async lookAfter(seconds = 60): Promise<void> {
      await db.query(sql`update merge_trains set due_at = due_at - make_interval(secs => ${seconds}::int)`);
      await db.query(sql`update jobs set leased_until = null, run_at = now() where leased_until is not null`);
      await db.query(sql`
        update ref_change_intents set created_at = created_at - interval '1 minute', handle_at = now() - interval '1 second'
        where state = 'open' or handled_at is null`);
      await db.query(sql`update merge_request_merges set created_at = created_at - interval '1 minute'`);
      await repositories.reconcile();
      const abandoned = await edges.mergeRequests.abandonedMerges(5);
      const due = await trains.due();
      await edges.jobs.enqueue([
        ...abandoned.map((mergeRequestId) => ({ kind: 'settle_merge', mergeRequestId }) as const),
        ...due.map((trainId) => ({ kind: 'merge_train', trainId }) as const),
      ]);
    },
  };
}

/** What `trainPart` gives. */
export type TrainPart = ReturnType<typeof trainPart>;
