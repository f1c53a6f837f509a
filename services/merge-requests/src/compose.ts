import { assertMigrated, countStatements, guardWrites, openDatabase, sql } from '@switchyard/database';
import { keepInPriorityOrder, labelsOf, priorityOrderStore, startDirectory } from '@switchyard/directory';
import { unavailable } from '@switchyard/errors';
import { type EventBus, openBus, startConsumer, startRelay } from '@switchyard/events';
import { DirectoryServiceService } from '@switchyard/protos/groups_admin/v1/directory';
import { connect, type ProcessContext, type ServiceParts } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import { startVerifyingLandings } from './compose-verifier';
import { type Config, gitLimitsOf } from './config';
import { limitGit } from './git';
import { measureGit } from './measure-git';
import { diffPositions } from './merge-requests/application/diff-positions';
import { followNotes } from './merge-requests/application/follow-notes';
import { composeMergeRequests } from './merge-requests/compose';
import { diffRefsOf } from './merge-requests/storage/diff-refs.store';
import { mergeRequestOrders } from './merge-requests/storage/merge-request.list';
import { keepNoteCounters } from './merge-requests/storage/note-counters.store';
import { diffPositionHandler } from './merge-requests/transport/diff-position.handler';
import { noteSubscription } from './merge-requests/transport/note.subscription';
import { refreshThreads } from './merge-requests/transport/threads.client';
import { migrationSets } from './migrations';
import type { RefChangeSubscriber } from './repositories/application/ref-change';
import { composeRepository } from './repositories/compose';
import { asGitWork } from './repositories/transport/as-git-work';
import { defaultBranchOf } from './repositories/transport/default-branch.client';

/** Edges that tests replace. */
export interface Edges {
  readonly bus?: EventBus;
  readonly clock?: () => Date;
}

/** Connections to the database: a ref change holds one while git moves the ref, so there must be more than pushes at once. */
const poolSize = 20;

/** Builds the service on a migrated database. */
export async function compose(
  config: Config,
  { signer, trusted }: ProcessContext,
  edges: Edges = {},
): Promise<ServiceParts> {
  limitGit(gitLimitsOf(config));
  await assertMigrated({ url: config.DATABASE_URL, sets: migrationSets });
  const db = openDatabase({ url: config.DATABASE_URL, applicationName: 'merge-requests', poolSize });
  const groupsAdmin = connect(config.GROUPS_ADMIN_ADDRESS, signer);
  const collaboration = connect(config.COLLABORATION_ADDRESS, signer);
  const follow = followNotes({ keep: keepNoteCounters });
  const directory = await startDirectory({ db, client: groupsAdmin.client(DirectoryServiceService), log: logger });
  const bus =
    edges.bus ??
    openBus({
      kafkaBrokers: config.KAFKA_BROKERS?.split(','),
      logDatabaseUrl: config.LOG_DATABASE_URL,
      clientId: 'merge-requests',
    });
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL.replace(/\/+$/, '');
  const subscribers: RefChangeSubscriber[] = [];
  const repository = composeRepository({
    db,
    dataFolder: config.SWITCHYARD_DATA,
    externalUrl,
    trusted,
    ensureDirectory: directory.ensure,
    subscribers,
    announceDefaultBranch: defaultBranchOf(groupsAdmin),
    recoverySeconds: config.SWITCHYARD_RECOVERY_SECONDS,
  });
  const mergeRequests = composeMergeRequests({
    db,
    externalUrl,
    changeRefs: repository.changeRefs,
    refreshThreads: refreshThreads(collaboration, db, follow),
    openRepository: repository.openProjectRepository,
    protectedBranchesOf: repository.protectedBranchesOf,
    ensureLabels: labelsOf(groupsAdmin, directory),
    clock: edges.clock,
    recoverySeconds: config.SWITCHYARD_RECOVERY_SECONDS,
  });
  subscribers.push(mergeRequests.subscriber);

  const positions = diffPositions({ open: repository.openProjectRepository, refsOf: diffRefsOf(db) });

  const background: (() => Promise<void>)[] = [];
  return {
    services: asGitWork([...repository.services, ...mergeRequests.services, diffPositionHandler(positions)]),
    http: repository.http,
    ensureDirectory: directory.ensure,
    countStatements,
    guardWrites,
    ready: async () => {
      await db.query(sql`select 1`);
      if (!directory.ready()) throw unavailable('the directory has not been filled');
    },
    start: async () => {
      const relay = startRelay({ db, bus });
      const consumer = await startConsumer({
        bus,
        db,
        group: 'merge-requests',
        subscriptions: [noteSubscription(follow)],
      });
      background.push(() => consumer.close());
      background.push(() => relay.close(), repository.startReconciler(), mergeRequests.start());
      const inOrder = keepInPriorityOrder(priorityOrderStore(db, mergeRequestOrders), directory);
      background.push(() => inOrder.close());
      background.push(startVerifyingLandings(db, repository.repositoryOf), measureGit());
    },
    close: async () => {
      await Promise.all(background.map((stop) => stop()));
      await directory.close();
      if (edges.bus === undefined) await bus.close();
      await db.close();
      groupsAdmin.close();
      collaboration.close();
    },
  };
}
