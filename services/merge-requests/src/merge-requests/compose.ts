import { repeat } from '@switchyard/background';
import {
  importedPeople,
  keepInPriorityOrder,
  labelsOf,
  priorityOrderStore,
  trackerLinksOf,
  writtenNames,
} from '@switchyard/directory';
import { type Area, archiveSource, eventWriter, type RecordWriter, recordWriter } from '@switchyard/service';
import { commandSteps } from '@switchyard/texts';
import type { Edges } from '../edges';
import { enqueueJobs, type JobHandlers, type JobRequests } from '../jobs';
import { type PipelineReader, pipelineReader, type SkipPipeline } from '../pipelines';
import {
  type CollaboratesOn,
  type InviteFor,
  protectedBranchesIn,
  type RefChange,
  type RefChangeSubscriber,
  type RepositoryAccess,
} from '../repositories';
import {
  approveMergeRequest,
  readApprovals,
  resetApprovals,
  submitReview,
  unapproveMergeRequest,
} from './application/approve-merge-request';
import { runAutoMerge } from './application/auto-merge';
import { cancelAutoMerge } from './application/cancel-auto-merge';
import { type CheckMergeability, checkOne, checkProject, checkTogether } from './application/check-mergeability';
import { closeWithoutFork } from './application/close-without-fork';
import { collaborations } from './application/collaborations';
import { contextCommitsOf } from './application/context-commits';
import { createMergeRequest } from './application/create-merge-request';
import { deleteAuthored } from './application/delete-authored';
import { diffPositions } from './application/diff-positions';
import { followPushOptions as followOptions, resumePushOptions } from './application/follow-push-options';
import {
  followRefChanges as follow,
  followSource,
  followSources,
  recheckTarget,
} from './application/follow-ref-changes';
import { importBlocks } from './application/import-blocks';
import { importMergeRequests } from './application/import-merge-requests';
import { inviteMergeRequests } from './application/invite-merge-requests';
import { type Landing, landing } from './application/land-merge-request';
import { mergeMergeRequest } from './application/merge-merge-request';
import type { FollowEdges, MergeRequestEdges, TrainTargets } from './application/merge-request.edges';
import { mergeRequestBlocks } from './application/merge-request-blocks';
import { listMergeRequestEvents, readMergeRequestEvent } from './application/merge-request-events';
import { deleteMergeRequestTimelog, listMergeRequestTimelogs } from './application/merge-request-timelogs';
import { publishLaterFacts } from './application/publish-later-facts';
import { purgePeople } from './application/purge-people';
import {
  findMergeRequestsOfCommit,
  readCommitsOf,
  readDiffsOf,
  readMergeRef,
  readMergeRequest,
  readRawDiffOf,
  readVersionOf,
} from './application/read-merge-request';
import { rebaseMergeRequest, runRebase } from './application/rebase-merge-request';
import { applySuggestedChanges, readSuggestedLines } from './application/suggested-changes';
import { trackMergeRequestTime } from './application/track-merge-request-time';
import { updateMergeRequest } from './application/update-merge-request';
import type { LaterFact } from './domain/merge-request-change';
import { keepReview } from './storage/approval.store';
import { openedBranches } from './storage/collaboration.store';
import { contextCommitStore } from './storage/context-commit.store';
import { diffRefsOf } from './storage/diff-refs.store';
import { mergeRequestOrders } from './storage/merge-request.list';
import { mergeRequestStore, type TrainChanges } from './storage/merge-request.store';
import { mergeRequestBlockStore } from './storage/merge-request-block.store';
import { mergeRequestDirectoryStore } from './storage/merge-request-directory.store';
import { mergeRequestEventStore } from './storage/merge-request-event.store';
import { branchesUnderWay, mergeRequestImportStore } from './storage/merge-request-import.store';
import { mergeRequestLinksStore } from './storage/merge-request-links.store';
import { orphanStore } from './storage/merge-request-people.store';
import { mergeRequestTimelogStore } from './storage/merge-request-timelog.store';
import { keepNoteCounters } from './storage/note-counters.store';
import { pushOptionStore } from './storage/push-option.store';
import { keepReactions } from './storage/reaction.store';
import { approvalHandler } from './transport/approval.handler';
import { deletedUserSubscription } from './transport/deleted-user.subscription';
import { diffPositionHandler } from './transport/diff-position.handler';
import { mergeRequestHandler } from './transport/merge-request.handler';
import { mergeRequestRecord, peopleOf, toImported } from './transport/merge-request.record';
import { mergeRequestBlockHandler } from './transport/merge-request-block.handler';
import { blocksRecord, toImportedBlocks } from './transport/merge-request-block.record';
import { mergeRequestEventHandler } from './transport/merge-request-event.handler';
import { mergeRequestImportHandler } from './transport/merge-request-import.handler';
import { mergeRequestTargetHandler } from './transport/merge-request-target.handler';
import { mergeRequestTimelogHandler } from './transport/merge-request-timelog.handler';
import { noteSubscription } from './transport/note.subscription';
import { rawDiffEndpoint } from './transport/raw-diff.http';
import { suggestedChangeHandler } from './transport/suggested-change.handler';
import { refreshThreads } from './transport/threads.client';

/** What merge requests need of the areas around them before there are repositories. */
export interface MergeRequestPorts {
  readonly jobs: JobRequests;
  readonly trains: TrainChanges & TrainTargets;
}

/** The areas that merge requests rest on, and their ports. */
interface ReadAreas extends MergeRequestPorts {
  readonly repositories: RepositoryAccess;
  readonly pipelines: PipelineReader;
}

/** The same, and how pipelines are made. */
export interface MergeRequestAreas extends ReadAreas {
  readonly pipelines: PipelineReader & { readonly skip: SkipPipeline };
}

/** The area, and what others use of it. */
export interface MergeRequests extends Area {
  readonly edges: MergeRequestEdges;
  readonly landing: Landing;
  readonly check: CheckMergeability;
  /** Closes what has lost its fork, as the area does every few seconds. Safe in several processes at once. */
  readonly closeWithoutFork: () => Promise<void>;
  readonly jobHandlers: Omit<
    JobHandlers,
    'merge_train' | 'train_ref' | 'repository_size' | 'copy_repository' | 'remove_former_copy' | 'pack_repository'
  >;
  /** Takes the merge requests of an archive. */
  readonly records: Readonly<Record<'merge_requests' | 'merge_request_events' | 'merge_request_blocks', RecordWriter>>;
}

/** Consumer group of deleted users: separate from that of notes, so that neither waits for the other. */
const deletedUserGroup = 'merge-requests.deleted-users';

/** Auto-merges checked in one sweep. */
const sweptAutoMerges = 200;
/** Milliseconds between two searches for deleted users. */
const purgeEveryMs = 60_000;

const followEdges = ({ db, prisma, config, clock }: Edges, { jobs, trains }: MergeRequestPorts): FollowEdges => ({
  mergeRequests: mergeRequestStore({ db, prisma, trains }),
  mergeTrains: trains,
  jobs,
  directory: mergeRequestDirectoryStore(db),
  externalUrl: config.SWITCHYARD_EXTERNAL_URL,
  clock,
});

/** Merge requests as followers of pushes. */
export const followRefChanges = (given: Edges, ports: MergeRequestPorts): RefChangeSubscriber =>
  follow(followEdges(given, ports));

/** What merge requests say after a push. */
export const inviteFor = ({ db, config }: Edges): InviteFor =>
  inviteMergeRequests({ links: mergeRequestLinksStore(db), externalUrl: config.SWITCHYARD_EXTERNAL_URL });

/** Branches that merge requests open to those who may merge them. */
export const collaborationsOf = ({ db, prisma }: Edges): CollaboratesOn =>
  collaborations({ openedBranches: openedBranches(db), protectedBranches: protectedBranchesIn({ db, prisma }) });

/** What keeps imports from moving the refs of a project. */
export const importLimitsOf = (db: Edges['db']) => ({
  accessOf: mergeRequestDirectoryStore(db).accessOf,
  branchesUnderWay: branchesUnderWay(db),
});

function edgesOf(given: Edges, areas: ReadAreas): MergeRequestEdges {
  const { db, clock, peer, directory } = given;
  const { openRepository, changeRefs, beginRefChange, protectedBranches, protectedTags, committers } =
    areas.repositories;
  const { codeReaders, collaboratesOn, isHere, keptFromImport, writeInPlace } = areas.repositories;
  const { readHead, bringCommit, defaultBranchOf } = areas.repositories;
  return {
    ...followEdges(given, areas),
    ...{ openRepository, changeRefs, beginRefChange, protectedBranches, protectedTags, keptFromImport, committers },
    ...{ codeReaders, collaboratesOn, isHere, writeInPlace, readHead, bringCommit, defaultBranchOf },
    pipelines: areas.pipelines,
    refreshThreads: refreshThreads(peer('collaboration'), db, keepNoteCounters),
    ensureLabels: labelsOf(peer('groups-admin'), directory),
    trackerLinks: trackerLinksOf(peer('groups-admin')),
    commandSteps: commandSteps({ names: writtenNames(db), clock }),
  };
}

/** Push options: what they ask for is done when the push is, so it has to be built before there are repositories. */
export const followPushOptions = (given: Edges, ports: MergeRequestPorts): RefChangeSubscriber =>
  followOptions({ ...pushOptionStore(given.db), names: writtenNames(given.db) }, (repositories) => {
    const edges = edgesOf(given, { ...ports, repositories, pipelines: pipelineReader(given.db) });
    return {
      edges,
      create: createMergeRequest(edges),
      update: updateMergeRequest(edges),
      merge: mergeMergeRequest(edges, landing(edges), checkTogether(edges)),
    };
  });

/** Finds what a crashed process left behind, and auto-merges that wait for a time. */
const sweep =
  ({ mergeRequests, jobs }: MergeRequestEdges, seconds: number) =>
  async () => {
    const abandoned = await mergeRequests.abandonedMerges(seconds);
    const waiting = await mergeRequests.withAutoMerge(sweptAutoMerges);
    await jobs.enqueue([
      ...abandoned.map((mergeRequestId) => ({ kind: 'settle_merge', mergeRequestId }) as const),
      ...waiting.map((mergeRequestId) => ({ kind: 'auto_merge', mergeRequestId }) as const),
    ]);
  };

/** Builds merge requests. */
export function composeMergeRequests(given: Edges, areas: MergeRequestAreas): MergeRequests {
  const { config, db, directory, observe } = given;
  const recoverySeconds = config.SWITCHYARD_RECOVERY_SECONDS;
  const edges = edgesOf(given, areas);
  const check = checkTogether(edges);
  const land = landing(edges);
  const closeFormer = closeWithoutFork(edges);
  const useCases = observe('merge_requests', {
    createMergeRequest: createMergeRequest(edges),
    updateMergeRequest: updateMergeRequest(edges),
    trackMergeRequestTime: trackMergeRequestTime(edges),
    mergeMergeRequest: mergeMergeRequest(edges, land, check),
    cancelAutoMerge: cancelAutoMerge(edges),
    rebaseMergeRequest: rebaseMergeRequest(edges),
    readMergeRequest: readMergeRequest(edges),
    readMergeRequestCommits: readCommitsOf(edges),
    readMergeRequestDiffs: readDiffsOf(edges),
    readMergeRequestVersion: readVersionOf(edges),
    readMergeRef: readMergeRef(edges),
    readApprovals: readApprovals(edges),
    approveMergeRequest: approveMergeRequest(edges),
    unapproveMergeRequest: unapproveMergeRequest(edges),
    submitReview: submitReview(edges),
    resetApprovals: resetApprovals(edges),
    readRawDiff: readRawDiffOf(edges),
    findMergeRequestsOfCommit: findMergeRequestsOfCommit(edges),
  });
  const eventStore = mergeRequestEventStore(given.db);
  const events = observe('merge_requests.events', {
    listMergeRequestEvents: listMergeRequestEvents(edges, eventStore),
    readMergeRequestEvent: readMergeRequestEvent(edges, eventStore),
  });
  const timelogs = mergeRequestTimelogStore(given.db);
  const times = observe('merge_requests.timelogs', {
    listMergeRequestTimelogs: listMergeRequestTimelogs(edges, timelogs),
    deleteMergeRequestTimelog: deleteMergeRequestTimelog(edges, timelogs),
  });
  const contextCommits = observe(
    'merge_requests.context_commits',
    contextCommitsOf({ ...edges, contextCommits: contextCommitStore(db) }),
  );
  const background = observe('merge_requests.jobs', {
    checkProject: checkProject(edges),
    autoMerge: runAutoMerge(edges, land, checkOne(edges)),
    rebase: runRebase(edges, areas.pipelines.skip),
    settleMerge: land.settle,
    recheck: recheckTarget(edges),
    followSources: followSources(edges),
    followSource: followSource(edges),
    followPushOptions: resumePushOptions(followPushOptions(given, areas), areas.repositories),
    publishLaterFacts: publishLaterFacts(edges),
    deleteAuthored: deleteAuthored(edges.mergeRequests),
  });
  const blockStore = mergeRequestBlockStore(db);
  const blocks = observe('merge_requests.blocks', mergeRequestBlocks(edges, blockStore));
  const refsOf = diffRefsOf(db);
  const positions = diffPositions({ open: edges.openRepository, refsOf });
  const importStore = mergeRequestImportStore(db);
  const imports = observe('merge_requests.imports', {
    ...importMergeRequests({ ...edges, positions, imports: importStore }),
    addBlocks: importBlocks({ ...edges, imports: importStore, blocks: blockStore }),
  });
  const suggestedChanges = observe('merge_requests.suggested_changes', {
    readSuggestedLines: readSuggestedLines(edges),
    applySuggestedChanges: applySuggestedChanges({ ...edges, positions, refsOf }),
  });
  return {
    edges,
    landing: land,
    closeWithoutFork: closeFormer,
    check,
    jobHandlers: {
      mergeability: ({ projectId }) => background.checkProject(projectId),
      auto_merge: ({ mergeRequestId }) => background.autoMerge(mergeRequestId),
      rebase: ({ mergeRequestId, actorId, skipCi }) => background.rebase(mergeRequestId, actorId, skipCi),
      settle_merge: ({ mergeRequestId }) => background.settleMerge(mergeRequestId),
      delete_authored: ({ userId }) => background.deleteAuthored(userId),
      recheck: ({ projectId, targetBranch }) => background.recheck(projectId, targetBranch),
      follow_sources: ({ projectId, after }) => background.followSources(projectId, after),
      follow_source: ({ mergeRequestId, actorId }) => background.followSource(mergeRequestId, actorId),
      push_options: ({ change }) => background.followPushOptions(change as RefChange),
      merge_request_facts: ({ facts, actorId }) => background.publishLaterFacts(facts as readonly LaterFact[], actorId),
    },
    records: {
      merge_requests: recordWriter(
        mergeRequestRecord,
        async (target, given) => {
          const people = await importedPeople(db, target, peopleOf(given));
          const key = { projectId: target.projectId, importedFrom: archiveSource };
          return imports.add(key, target.importerId, given.map(toImported(people)));
        },
        (projectId, given) => imports.reserveNumbers(projectId, Math.max(0, ...given.map(({ iid }) => iid))),
      ),
      merge_request_events: eventWriter(db, imports.addEvents),
      merge_request_blocks: recordWriter(blocksRecord, ({ projectId }, given) =>
        imports.addBlocks({ projectId, importedFrom: archiveSource }, given.flatMap(toImportedBlocks)),
      ),
    },
    services: [
      mergeRequestHandler({ ...useCases, contextCommits }, edges),
      approvalHandler(useCases, edges),
      mergeRequestBlockHandler(blocks, edges),
      mergeRequestTargetHandler(edges),
      diffPositionHandler(positions),
      suggestedChangeHandler(suggestedChanges),
      mergeRequestImportHandler(imports),
      mergeRequestEventHandler(events, edges),
      mergeRequestTimelogHandler(times, edges),
    ],
    http: [rawDiffEndpoint(useCases.readRawDiff)],
    consumers: [
      { group: 'merge-requests', subscriptions: [noteSubscription(keepNoteCounters, keepReactions, keepReview)] },
      {
        group: deletedUserGroup,
        subscriptions: [
          deletedUserSubscription((tx, userId) => enqueueJobs(tx, [{ kind: 'delete_authored', userId }])),
        ],
      },
    ],
    start: () => [
      repeat('landings and auto-merges', recoverySeconds * 1_000, sweep(edges, recoverySeconds)),
      repeat('merge requests of former forks', recoverySeconds * 1_000, closeFormer),
      repeat('assignments of deleted users', purgeEveryMs, purgePeople(orphanStore(db))),
      keepInPriorityOrder(priorityOrderStore(db, mergeRequestOrders), directory),
    ],
  };
}
