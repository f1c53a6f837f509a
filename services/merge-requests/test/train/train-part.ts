import { type Database, sql } from '@switchyard/database';
import { writtenNames } from '@switchyard/directory';
import { commandSteps } from '@switchyard/texts';
import { jobStore } from '../../src/jobs/storage/job.store';
import { removeFromMergeTrain } from '../../src/merge-requests/application/auto-merge';
import { board } from '../../src/merge-requests/application/board-merge-train';
import { checkOne } from '../../src/merge-requests/application/check-mergeability';
import { createMergeRequest } from '../../src/merge-requests/application/create-merge-request';
import { followRefChanges } from '../../src/merge-requests/application/follow-ref-changes';
import { landing } from '../../src/merge-requests/application/land-merge-request';
import { mergeMergeRequest } from '../../src/merge-requests/application/merge-merge-request';
import type { Caller, MergeRequestEdges } from '../../src/merge-requests/application/merge-request.edges';
import { updateMergeRequest } from '../../src/merge-requests/application/update-merge-request';
import type { JobRequest } from '../../src/merge-requests/domain/merge-request-change';
import { mergeRequestStore } from '../../src/merge-requests/storage/merge-request.store';
import { mergeRequestDirectoryStore } from '../../src/merge-requests/storage/merge-request-directory.store';
import { dropTrainRef, runMergeTrain } from '../../src/merge-trains/application/run-merge-train';
import { mergeTrainStore } from '../../src/merge-trains/storage/merge-train.store';
import { reportCommitStatus } from '../../src/pipelines/application/report-commit-status';
import { pipelineStore } from '../../src/pipelines/storage/pipeline.store';
import type { RefChangeSubscriber } from '../../src/repositories/application/ref-change';
import { composeRepository } from '../../src/repositories/compose';
import { repositoryStore } from '../../src/repositories/storage/repository.store';

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
const mostJobs = 60;

/** Whether merge requests could be merged concerns no train: its own look decides. */
const besideTrains = sql`delete from jobs where kind not in ('merge_train', 'train_ref', 'settle_merge')`;

/** What a merge-requests process does for trains, without its transport, on a volume and a database that others use as well. */
export function trainPart(db: Database, dataFolder: string, now: () => Date) {
  const subscribers: RefChangeSubscriber[] = [];
  const repository = composeRepository({
    db,
    dataFolder,
    externalUrl: 'http://switchyard.test',
    trusted: {} as never,
    ensureDirectory: async () => undefined,
    subscribers,
    announceDefaultBranch: async () => undefined,
  });
  const edges: MergeRequestEdges = {
    refreshThreads: async () => undefined,
    mergeRequests: mergeRequestStore(db),
    mergeTrains: mergeTrainStore(db),
    pipelines: pipelineStore(db),
    jobs: jobStore(db),
    directory: mergeRequestDirectoryStore(db),
    protectedBranches: { all: repository.protectedBranchesOf },
    committers: repositoryStore(db),
    openRepository: repository.openProjectRepository,
    changeRefs: repository.changeRefs,
    ensureLabels: async () => [],
    commandSteps: commandSteps({ names: writtenNames(db), clock: now }),
    externalUrl: 'http://switchyard.test',
    clock: now,
  };
  const land = landing(edges);
  const runTrain = runMergeTrain(edges, land);
  const dropRef = dropTrainRef(edges);
  subscribers.push(followRefChanges(edges, land));

  async function run(request: JobRequest): Promise<void> {
    if (request.kind === 'merge_train') await runTrain(request.trainId);
    if (request.kind === 'train_ref') await dropRef(request.projectId, request.iid, request.sha);
    if (request.kind === 'settle_merge') await land.settle(request.mergeRequestId);
  }

  return {
    edges,
    runTrain,
    changeRefs: repository.changeRefs,
    reconcile: repository.reconcile,
    repositoryOf: repository.repositoryOf,
    open: repository.openProjectRepository,
    create: createMergeRequest(edges),
    update: updateMergeRequest(edges),
    report: reportCommitStatus(edges),
    remove: removeFromMergeTrain(edges),
    merge: mergeMergeRequest(edges, land, checkOne(edges)),

    async board(id: number): Promise<void> {
      const view = await edges.mergeRequests.view({ id });
      if (view !== undefined) await board(edges, maintainer.userId, view, {});
    },

    /** Takes jobs of trains until there are none that are due. */
    async work(): Promise<void> {
      await db.query(besideTrains);
      for (let done = 0; ; ) {
        const claimed = await edges.jobs.claim(1);
        if (claimed.length === 0) return;
        for (const job of claimed) {
          done += 1;
          if (done > mostJobs) throw new Error(`jobs without end: ${JSON.stringify(job.request)}`);
          await run(job.request);
          await edges.jobs.finish(job);
        }
        await db.query(besideTrains);
      }
    },

    /** What a process does that looks after what dead ones have left, once they have been away for some seconds. */
    async lookAfter(): Promise<void> {
      await db.query(sql`update jobs set leased_until = null, run_at = now() where leased_until is not null`);
      await db.query(sql`
        update ref_change_intents set created_at = created_at - interval '1 minute', handle_at = now() - interval '1 second'
        where state = 'open' or handled_at is null`);
      await db.query(sql`update merge_request_merges set created_at = created_at - interval '1 minute'`);
      await repository.reconcile();
      const abandoned = await edges.mergeRequests.abandonedMerges(5);
      const trains = await edges.mergeTrains.running();
      await edges.jobs.enqueue([
        ...abandoned.map((mergeRequestId) => ({ kind: 'settle_merge', mergeRequestId }) as const),
        ...trains.map((trainId) => ({ kind: 'merge_train', trainId }) as const),
      ]);
    },
  };
}

/** What `trainPart` gives. */
export type TrainPart = ReturnType<typeof trainPart>;
