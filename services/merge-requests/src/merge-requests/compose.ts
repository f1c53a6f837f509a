import type { Database } from '@switchyard/database';
import { type EnsureLabels, writtenNames } from '@switchyard/directory';
import { repeat, type ServiceImplementation } from '@switchyard/rpc';
import { observe } from '@switchyard/telemetry';
import { commandSteps } from '@switchyard/texts';
import { recoverySeconds as defaultRecoverySeconds } from '../domain/recovery';
import { type JobHandlers, startJobs } from '../jobs/application/work-jobs';
import { jobStore, onJobs } from '../jobs/storage/job.store';
import { dismissFromTrain, dropTrainRef, runMergeTrain } from '../merge-trains/application/run-merge-train';
import { mergeTrainStore } from '../merge-trains/storage/merge-train.store';
import { mergeTrainHandler } from '../merge-trains/transport/merge-train.handler';
import { createMergeRequestPipeline, createPipeline } from '../pipelines/application/create-pipeline';
import { reportCommitStatus } from '../pipelines/application/report-commit-status';
import { pipelineStore } from '../pipelines/storage/pipeline.store';
import { commitStatusHandler } from '../pipelines/transport/commit-status.handler';
import { pipelineHandler } from '../pipelines/transport/pipeline.handler';
import type { OpenProjectRepository } from '../repositories/application/open-project-repository';
import type { ChangeRefs, RefChangeSubscriber } from '../repositories/application/ref-change';
import type { ProtectedBranch } from '../repositories/domain/protected-branch';
import { repositoryStore } from '../repositories/storage/repository.store';
import { cancelAutoMerge, removeFromMergeTrain, runAutoMerge } from './application/auto-merge';
import { addToMergeTrain } from './application/board-merge-train';
import { checkOne, checkProject } from './application/check-mergeability';
import { createMergeRequest } from './application/create-merge-request';
import { followRefChanges } from './application/follow-ref-changes';
import { landing } from './application/land-merge-request';
import { mergeMergeRequest } from './application/merge-merge-request';
import type { MergeRequestEdges, RefreshThreads } from './application/merge-request.edges';
import {
  readCommitsOf,
  readDiffsOf,
  readMergeRef,
  readMergeRequest,
  readVersionOf,
} from './application/read-merge-request';
import { rebaseMergeRequest, runRebase } from './application/rebase-merge-request';
import { trackMergeRequestTime } from './application/track-merge-request-time';
import { updateMergeRequest } from './application/update-merge-request';
import { mergeRequestStore } from './storage/merge-request.store';
import { mergeRequestDirectoryStore } from './storage/merge-request-directory.store';
import { mergeRequestHandler } from './transport/merge-request.handler';
import { mergeRequestTargetHandler } from './transport/merge-request-target.handler';

/** What the merge request side of the service is built from. */
export interface MergeRequestPartEdges {
  readonly db: Database;
  /** Externally visible base URL, without a slash at its end. */
  readonly externalUrl: string;
  readonly changeRefs: ChangeRefs;
  readonly refreshThreads?: RefreshThreads;
  readonly openRepository: OpenProjectRepository;
  readonly protectedBranchesOf: (projectId: number) => Promise<ProtectedBranch[]>;
  readonly ensureLabels: EnsureLabels;
  readonly clock?: () => Date;
  /**
   * Seconds after which another process takes over what a dead one left unfinished; default 5. Between the plan of a merge and its result
   * lie one compare-and-swap and a few statements; should its process still be at work, both do the same and one of them finds it done.
   */
  readonly recoverySeconds?: number;
}

/** The merge request side of the service. */
export interface MergeRequestPart {
  readonly services: readonly ServiceImplementation[];
  /** Follows every push. */
  readonly subscriber: RefChangeSubscriber;
  /** Starts workers and sweeps; what it returns stops them. */
  readonly start: () => () => Promise<void>;
}

/** Auto-merges looked at in one sweep. */
const sweptAutoMerges = 200;

/** Builds merge requests, pipelines and commit statuses. */
export function composeMergeRequests(given: MergeRequestPartEdges): MergeRequestPart {
  const { db, recoverySeconds = defaultRecoverySeconds, clock = () => new Date() } = given;
  const edges: MergeRequestEdges = {
    mergeRequests: mergeRequestStore(db),
    mergeTrains: mergeTrainStore(db),
    pipelines: pipelineStore(db),
    jobs: jobStore(db, recoverySeconds),
    directory: mergeRequestDirectoryStore(db),
    protectedBranches: { all: given.protectedBranchesOf },
    committers: repositoryStore(db),
    openRepository: given.openRepository,
    changeRefs: given.changeRefs,
    refreshThreads: given.refreshThreads ?? (async () => undefined),
    ensureLabels: given.ensureLabels,
    commandSteps: commandSteps({ names: writtenNames(db), clock }),
    externalUrl: given.externalUrl,
    clock,
  };
  const check = checkOne(edges);
  const land = landing(edges);
  const follow = followRefChanges(edges, land);
  const useCases = observe('merge_requests', {
    createMergeRequest: createMergeRequest(edges),
    updateMergeRequest: updateMergeRequest(edges),
    trackMergeRequestTime: trackMergeRequestTime(edges),
    mergeMergeRequest: mergeMergeRequest(edges, land, check),
    cancelAutoMerge: cancelAutoMerge(edges),
    addToMergeTrain: addToMergeTrain(edges, check),
    removeFromMergeTrain: removeFromMergeTrain(edges),
    rebaseMergeRequest: rebaseMergeRequest(edges),
    readMergeRequest: readMergeRequest(edges),
    readMergeRequestCommits: readCommitsOf(edges),
    readMergeRequestDiffs: readDiffsOf(edges),
    readMergeRequestVersion: readVersionOf(edges),
    readMergeRef: readMergeRef(edges),
    createPipeline: createPipeline(edges),
    createMergeRequestPipeline: createMergeRequestPipeline(edges),
    reportCommitStatus: reportCommitStatus(edges),
  });
  const background = observe('merge_requests.jobs', {
    checkProject: checkProject(edges),
    autoMerge: runAutoMerge(edges, land, check),
    rebase: runRebase(edges),
    settleMerge: land.settle,
    mergeTrain: runMergeTrain(edges, land),
    dismissFromTrain: dismissFromTrain(edges),
    trainRef: dropTrainRef(edges),
    recheck: follow.recheck,
  });

  async function sweep(): Promise<void> {
    const abandoned = await edges.mergeRequests.abandonedMerges(recoverySeconds);
    const waiting = await edges.mergeRequests.withAutoMerge(sweptAutoMerges);
    const trains = await edges.mergeTrains.running();
    for (const trainId of trains) await background.dismissFromTrain(trainId);
    await edges.jobs.enqueue([
      ...abandoned.map((mergeRequestId) => ({ kind: 'settle_merge', mergeRequestId }) as const),
      ...waiting.map((mergeRequestId) => ({ kind: 'auto_merge', mergeRequestId }) as const),
      ...trains.map((trainId) => ({ kind: 'merge_train', trainId }) as const),
    ]);
  }

  return {
    services: [
      mergeRequestHandler(useCases, edges),
      mergeRequestTargetHandler(edges),
      pipelineHandler(useCases, edges),
      commitStatusHandler(useCases, edges),
      mergeTrainHandler(useCases, { db, externalUrl: given.externalUrl }),
    ],
    subscriber: follow,
    start() {
      const handlers: JobHandlers = {
        mergeability: ({ projectId }) => background.checkProject(projectId),
        auto_merge: ({ mergeRequestId }) => background.autoMerge(mergeRequestId),
        rebase: ({ mergeRequestId, actorId }) => background.rebase(mergeRequestId, actorId),
        settle_merge: ({ mergeRequestId }) => background.settleMerge(mergeRequestId),
        merge_train: ({ trainId }) => background.mergeTrain(trainId),
        train_ref: ({ projectId, iid, sha }) => background.trainRef(projectId, iid, sha),
        recheck: ({ projectId, targetBranch }) => background.recheck(projectId, targetBranch),
      };
      const workers = startJobs(edges.jobs, handlers, recoverySeconds);
      const forget = edges.jobs.onJobs(workers.wake);
      const sweeping = repeat('landings and auto-merges', recoverySeconds * 1_000, sweep);
      return async () => {
        forget();
        await sweeping.close();
        await workers.close();
      };
    },
  };
}
