import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { forbidden, isAppError, notFound, unauthorized, unavailable } from '@switchyard/errors';
import {
  type EventBus,
  type EventDefinition,
  embeddedLog,
  logMigrations,
  mergeRequestEventId,
  mergeRequestEvents,
} from '@switchyard/events';
import { AwardEmojiServiceService } from '@switchyard/protos/collaboration/v1/award_emoji';
import { DiscussionServiceService } from '@switchyard/protos/collaboration/v1/discussion';
import { DraftNoteServiceService } from '@switchyard/protos/collaboration/v1/draft_note';
import { EpicServiceService } from '@switchyard/protos/collaboration/v1/epic';
import { EpicTreeServiceService } from '@switchyard/protos/collaboration/v1/epic_tree';
import { EventServiceService } from '@switchyard/protos/collaboration/v1/event';
import { IssueServiceService } from '@switchyard/protos/collaboration/v1/issue';
import { IssueEventServiceService } from '@switchyard/protos/collaboration/v1/issue_event';
import { IssueTimelogServiceService } from '@switchyard/protos/collaboration/v1/issue_timelog';
import { LedgerServiceService } from '@switchyard/protos/collaboration/v1/ledger';
import { NoteServiceService } from '@switchyard/protos/collaboration/v1/note';
import { NotificationSettingsServiceService } from '@switchyard/protos/collaboration/v1/notification_settings';
import { SnippetServiceService } from '@switchyard/protos/collaboration/v1/snippet';
import { SuggestionServiceService } from '@switchyard/protos/collaboration/v1/suggestion';
import { TodoServiceService } from '@switchyard/protos/collaboration/v1/todo';
import { UnsubscribeServiceService } from '@switchyard/protos/collaboration/v1/unsubscribe';
import { type DeliveryEntry, DeliveryServiceService } from '@switchyard/protos/groups_admin/v1/delivery';
import { IntegrationServiceService } from '@switchyard/protos/groups_admin/v1/integration';
import type {
  MergeRequestEvent,
  MergeRequestSubject,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { ApprovalServiceService } from '@switchyard/protos/merge_requests/v1/approval';
import { CommitTargetServiceService } from '@switchyard/protos/merge_requests/v1/commit_target';
import { DiffPositionServiceService } from '@switchyard/protos/merge_requests/v1/diff_position';
import {
  MergeRequestServiceService,
  type TrackMergeRequestTimeRequest,
  type UpdateMergeRequestRequest,
} from '@switchyard/protos/merge_requests/v1/merge_request';
import {
  type MergeRequestTarget,
  MergeRequestTargetServiceService,
} from '@switchyard/protos/merge_requests/v1/merge_request_target';
import { Access, Access_Kind, type Actor } from '@switchyard/protos/rpc/v1/identity';
import {
  anonymous,
  type CallOptions,
  connect,
  entity,
  implement,
  type Peer,
  type RpcClient,
  type RunningServer,
  startServer,
} from '@switchyard/rpc';
import { type RunningService, startService } from '@switchyard/service';
import {
  eventually,
  freePort,
  serviceProcesses,
  type TestDatabase,
  testDatabase,
  testIdentities,
} from '@switchyard/testkit';
import { DirectoryModel, directoryService, publish } from '@switchyard/testkit/installation';
import { service } from '../../src/service';
import { alertTargetService, type StoredAlert } from './alert-targets';
import { type SuggestedChangesState, suggestedChangeService } from './suggested-changes';

const unasked = async (): Promise<never> => {
  throw new Error('this service does not ask for it');
};

/** A merge request as the stand-in for its owner holds it. */
export interface StoredTarget {
  id: number;
  iid: number;
  projectId: number;
  title: string;
  description?: string;
  /** Users who may not read it although they see its project. */
  hiddenFrom?: number[];
  authorId?: number;
  assigneeIds?: number[];
  discussionLocked?: boolean;
  participantIds?: number[];
  unsubscribedIds?: number[];
}

export type Fact = NonNullable<MergeRequestEvent['fact']>;

/** collaboration between stand-ins for groups-admin and merge-requests, on real databases and a real event log. */
export interface Installation {
  readonly db: Database;
  /** Data folder of the service. */
  readonly folder: string;
  readonly directory: DirectoryModel;
  readonly targets: Map<number, StoredTarget>;
  /** Alerts, as their service holds them. */
  readonly alerts: Map<number, StoredAlert>;
  /** Calls that reached owners of targets. */
  readonly targetCalls: string[];
  /** Whether merge-requests answers. */
  targetsAway: boolean;
  readonly todos: RpcClient<typeof TodoServiceService>;
  readonly events: RpcClient<typeof EventServiceService>;
  readonly notes: RpcClient<typeof NoteServiceService>;
  readonly issues: RpcClient<typeof IssueServiceService>;
  readonly epics: RpcClient<typeof EpicServiceService>;
  readonly epicTrees: RpcClient<typeof EpicTreeServiceService>;
  readonly issueEvents: RpcClient<typeof IssueEventServiceService>;
  readonly issueTimelogs: RpcClient<typeof IssueTimelogServiceService>;
  readonly snippets: RpcClient<typeof SnippetServiceService>;
  /** A client of imports-exports. */
  readonly imports: { readonly snippets: RpcClient<typeof SnippetServiceService> };
  readonly settings: RpcClient<typeof NotificationSettingsServiceService>;
  readonly unsubscriptions: RpcClient<typeof UnsubscribeServiceService>;
  readonly discussions: RpcClient<typeof DiscussionServiceService>;
  readonly drafts: RpcClient<typeof DraftNoteServiceService>;
  readonly awards: RpcClient<typeof AwardEmojiServiceService>;
  readonly suggestions: RpcClient<typeof SuggestionServiceService>;
  /** What the owner of the repositories does with suggestions. */
  readonly suggestedChanges: SuggestedChangesState;
  /** The part of the ledger that groups-admin keeps, newest first. */
  readonly deliveries: DeliveryEntry[];
  readonly ledger: RpcClient<typeof LedgerServiceService>;
  /** Edits of merge requests that reached their owner. */
  readonly edits: Partial<
    UpdateMergeRequestRequest & TrackMergeRequestTimeRequest & { userId: number; subscribed: boolean; review: string }
  >[];
  /** Whether the owner refuses them. */
  editsRefused: boolean;
  /** Options of a call by the gateway for a user, where `access` says to what its path led. */
  as(
    user: { id: number; admin?: boolean; external?: boolean } | undefined,
    access?: { id: number; level: number; archived?: boolean; kind?: Access_Kind; tier?: string },
  ): CallOptions;
  /** The event log. */
  readonly bus: EventBus;
  /** Publishes an event, as the relay of its owner would. */
  publishEvent<Payload>(event: EventDefinition<Payload>, payload: Payload, id: string): Promise<string>;
  /** Publishes a fact about a merge request, as its owner's relay would. */
  publish(
    target: StoredTarget,
    fact: Fact,
    given?: Partial<Omit<MergeRequestEvent, 'mergeRequest'>> & {
      mergeRequest?: Partial<MergeRequestSubject>;
      cause?: string | number;
    },
  ): Promise<string>;
  /** Starts the service in this process; stopped by `close`. */
  startHere(given?: Record<string, string>): Promise<void>;
  /** Starts the service as a process of its own. */
  startProcess(environment?: Record<string, string>): Promise<ChildProcess>;
  stopHere(): Promise<void>;
  close(): Promise<void>;
}

export const mentions = (usernames: string[] = [], directlyAddressedUsernames: string[] = []) => ({
  usernames,
  directlyAddressedUsernames,
});

export const created = (assigneeIds: number[] = [], reviewerIds: number[] = [], named = mentions()): Fact => ({
  $case: 'created',
  value: { assigneeIds, reviewerIds, mentions: named, issueReferences: undefined },
});

export const updated = (
  addedAssigneeIds: number[] = [],
  addedReviewerIds: number[] = [],
  named = mentions(),
): Fact => ({
  $case: 'updated',
  value: {
    addedAssigneeIds,
    removedAssigneeIds: [],
    addedReviewerIds,
    removedReviewerIds: [],
    mentions: named,
    issueReferences: undefined,
    changedFields: [],
    timeChanges: [],
    changes: [],
  },
});

const externalUrl = 'https://code.example';

const toMessage = (target: StoredTarget, reader: number, withSubscribed: boolean): MergeRequestTarget => {
  const webUrl = `${externalUrl}/p/-/merge_requests/${target.iid}`;
  const { id, iid, projectId, title } = target;
  const readable = !target.hiddenFrom?.includes(reader);
  const representation = {
    id,
    iid,
    project_id: projectId,
    title,
    description: target.description ?? null,
    state: 'opened',
    web_url: webUrl,
    ...(withSubscribed ? { subscribed: true } : {}),
  };
  return {
    id,
    iid,
    projectId,
    readable,
    json: Buffer.from(readable ? JSON.stringify(representation) : ''),
    webUrl: readable ? webUrl : '',
    title: readable ? title : '',
  };
};

/** @param given further variables of the service */
export async function startInstallation(given: Record<string, string> = {}): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-collaboration-'));
  const home: TestDatabase = await testDatabase({ sets: service.migrationSets });
  const log: TestDatabase = await testDatabase({ sets: [logMigrations] });
  const db = openDatabase({ url: home.url, applicationName: 'collaboration test' });
  const identities = testIdentities(['gateway', 'collaboration', 'merge-requests', 'imports-exports']);
  identities.writeTo(folder);
  const { trusted } = identities;

  const directory = new DirectoryModel();
  const targets = new Map<number, StoredTarget>();
  const alerts = new Map<number, StoredAlert>();
  const targetCalls: string[] = [];
  const edits: Installation['edits'] = [];
  const deliveries: DeliveryEntry[] = [];
  const state = { editsRefused: false, targetsAway: false };
  const suggestedChanges: SuggestedChangesState = { applied: [], reads: 0, refused: false };
  const rule = { callers: ['collaboration'], onBehalfOf: true };
  const itself = { callers: ['collaboration'] };
  const peers: RunningServer = await startServer({
    host: '127.0.0.1',
    port: 0,
    trusted,
    services: [
      alertTargetService(alerts, targetCalls, externalUrl),
      directoryService(directory, 'collaboration'),
      implement(
        {
          updateMergeRequest: MergeRequestServiceService.updateMergeRequest,
          setSubscription: MergeRequestServiceService.setSubscription,
          trackMergeRequestTime: MergeRequestServiceService.trackMergeRequestTime,
        },
        {
          updateMergeRequest: async (request, { actor }) => {
            if (state.editsRefused) throw forbidden();
            edits.push({ ...request, userId: actor.userId });
            return entity({});
          },
          setSubscription: async ({ subscribed }, { actor }) => {
            edits.push({ subscribed, userId: actor.userId });
            return entity({});
          },
          trackMergeRequestTime: async (request, { actor }) => {
            edits.push({ ...request, userId: actor.userId });
            return entity({});
          },
        },
        { updateMergeRequest: rule, setSubscription: rule, trackMergeRequestTime: rule },
      ),
      implement(
        {
          approve: ApprovalServiceService.approve,
          unapprove: ApprovalServiceService.unapprove,
          submitReview: ApprovalServiceService.submitReview,
        },
        {
          approve: async ({ iid }, { actor }) => {
            if (state.editsRefused) throw unauthorized();
            edits.push({ iid, review: 'approve', userId: actor.userId });
            return entity({});
          },
          unapprove: async ({ iid }, { actor }) => {
            edits.push({ iid, review: 'unapprove', userId: actor.userId });
            return entity({});
          },
          submitReview: async ({ iid, state: review }, { actor }) => {
            edits.push({ iid, review, userId: actor.userId });
            return entity({});
          },
        },
        { approve: rule, unapprove: rule, submitReview: rule },
      ),
      suggestedChangeService(suggestedChanges),
      implement(
        IntegrationServiceService,
        {
          listIntegrations: unasked,
          getIntegration: unasked,
          setIntegration: unasked,
          disableIntegration: unasked,
          listTrackers: async ({ projectIds }) => ({
            trackers: projectIds.map((projectId) => ({
              ...{ projectId, slug: 'redmine', ownsNumbers: false, keyExpression: '', keyPrefix: '' },
              issuesUrl: `https://tracker.example/${projectId}/:id`,
            })),
          }),
        },
        { listTrackers: itself },
      ),
      implement(
        DeliveryServiceService,
        {
          listDeliveryEntries: async ({ beforeCreatedAt, beforeId, limit }) => ({
            entries: deliveries
              .filter(
                ({ createdAt, id }) =>
                  beforeCreatedAt === undefined ||
                  createdAt!.getTime() < beforeCreatedAt.getTime() ||
                  (createdAt!.getTime() === beforeCreatedAt.getTime() && id < beforeId),
              )
              .slice(0, limit),
          }),
        },
        { listDeliveryEntries: itself },
      ),
      implement(
        DiffPositionServiceService,
        {
          checkDiffPosition: async ({ position }) => ({
            valid: position?.newPath !== 'unchanged.txt',
            codeOldLine: position?.oldLine ?? position?.newLine,
            codeNewLine: position?.newLine ?? position?.oldLine,
          }),
          moveDiffPositions: async ({ positions }) => ({
            positions: positions.map((position) => ({
              position:
                position.newPath === 'gone.txt'
                  ? undefined
                  : { ...position, headSha: 'e'.repeat(40), newLine: (position.newLine ?? 0) + 1 },
            })),
          }),
          describeCommit: async ({ revision }) => {
            if (revision === 'nothing') throw notFound('Commit');
            return { sha: 'c'.repeat(40), title: 'Change', parentSha: 'a'.repeat(40) };
          },
        },
        { checkDiffPosition: rule, moveDiffPositions: rule, describeCommit: rule },
      ),
      implement(
        MergeRequestTargetServiceService,
        {
          batchGet: async ({ ids, withSubscribed }, { actor }) => {
            targetCalls.push('batchGet');
            if (state.targetsAway) throw unavailable();
            const found = ids.flatMap((id) => targets.get(id) ?? []);
            return { targets: found.map((target) => toMessage(target, actor.userId, withSubscribed)) };
          },
          find: async ({ projectId, iid, withSubscribed }, { actor }) => {
            targetCalls.push('find');
            const target = [...targets.values()].find((one) => one.projectId === projectId && one.iid === iid);
            if (target === undefined || target.hiddenFrom?.includes(actor.userId)) throw notFound();
            return toMessage(target, actor.userId, withSubscribed);
          },
          describe: async ({ projectId, ...wanted }, { actor }) => {
            targetCalls.push('describe');
            const target = [...targets.values()].find(
              (one) => one.projectId === projectId && (wanted.id === 0 ? one.iid === wanted.iid : one.id === wanted.id),
            );
            if (target === undefined || target.hiddenFrom?.includes(actor.userId)) throw notFound();
            const { webUrl, title, id, iid } = toMessage(target, actor.userId, false);
            const { authorId = 0, assigneeIds = [], discussionLocked = false } = target;
            const people = { authorId, assigneeIds, reviewerIds: [] };
            const headSha = 'b'.repeat(40);
            return { id, iid, projectId, ...people, state: 'opened', discussionLocked, title, webUrl, headSha };
          },
          listPeople: async ({ ids }) => {
            targetCalls.push('listPeople');
            if (state.targetsAway) throw unavailable();
            return {
              people: ids.flatMap((id) => {
                const target = targets.get(id);
                if (target === undefined) return [];
                const { iid, projectId, title, description = '', authorId = 0, assigneeIds = [] } = target;
                const { participantIds = [authorId, ...assigneeIds], unsubscribedIds = [] } = target;
                const given = { id, iid, projectId, title, description, authorId, assigneeIds, participantIds };
                return { ...given, reviewerIds: [], subscribedIds: [], unsubscribedIds };
              }),
            };
          },
          endSubscription: async ({ id, userId }) => {
            const target = targets.get(id);
            if (target !== undefined) target.unsubscribedIds = [...(target.unsubscribedIds ?? []), userId];
            return {};
          },
        },
        { batchGet: rule, find: rule, describe: rule, listPeople: itself, endSubscription: itself },
      ),
      implement(
        CommitTargetServiceService,
        {
          batchGet: async ({ commits }) => {
            targetCalls.push('batchGet commits');
            return {
              targets: commits.map(({ projectId, sha }) => {
                const webUrl = `${externalUrl}/p/-/commit/${sha}`;
                const json = Buffer.from(JSON.stringify({ id: sha, title: 'Change', web_url: webUrl }));
                return { projectId, sha, json, webUrl, title: 'Change' };
              }),
            };
          },
        },
        { batchGet: rule },
      ),
    ],
  });

  const grpcPort = await freePort();
  const environment = {
    HOST: '127.0.0.1',
    GRPC_PORT: String(grpcPort),
    HTTP_PORT: '0',
    DATABASE_URL: home.url,
    LOG_DATABASE_URL: log.url,
    GROUPS_ADMIN_ADDRESS: `127.0.0.1:${peers.port}`,
    MERGE_REQUESTS_ADDRESS: `127.0.0.1:${peers.port}`,
    ALERTS_ADDRESS: `127.0.0.1:${peers.port}`,
    SWITCHYARD_IDENTITY_KEY_FILE: join(folder, 'collaboration.pem'),
    SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: join(folder, 'keys.json'),
    SWITCHYARD_EXTERNAL_URL: externalUrl,
    SWITCHYARD_DATA: folder,
    SWITCHYARD_MAIL_LINKS_KEY_FILE: join(folder, 'mail-links.key'),
    SWITCHYARD_MAIL_WINDOW: '0',
    ...given,
  };
  writeFileSync(join(folder, 'mail-links.key'), '5'.repeat(64));
  const bus: EventBus = embeddedLog({ url: log.url, clientId: 'test' });
  const gateway: Peer = connect(`127.0.0.1:${grpcPort}`, identities.signer('gateway'));
  const importer: Peer = connect(`127.0.0.1:${grpcPort}`, identities.signer('imports-exports'));
  const processes = serviceProcesses(join(__dirname, '..', '..', 'dist', 'main.js'), environment);
  let running: RunningService | undefined;

  const installation: Installation = {
    db,
    folder,
    directory,
    targets,
    alerts,
    targetCalls,
    get targetsAway() {
      return state.targetsAway;
    },
    set targetsAway(away) {
      state.targetsAway = away;
    },
    todos: gateway.client(TodoServiceService),
    events: gateway.client(EventServiceService),
    bus,
    notes: gateway.client(NoteServiceService),
    issues: gateway.client(IssueServiceService),
    epics: gateway.client(EpicServiceService),
    epicTrees: gateway.client(EpicTreeServiceService),
    issueEvents: gateway.client(IssueEventServiceService),
    issueTimelogs: gateway.client(IssueTimelogServiceService),
    snippets: gateway.client(SnippetServiceService),
    imports: { snippets: importer.client(SnippetServiceService) },
    settings: gateway.client(NotificationSettingsServiceService),
    unsubscriptions: gateway.client(UnsubscribeServiceService),
    discussions: gateway.client(DiscussionServiceService),
    drafts: gateway.client(DraftNoteServiceService),
    awards: gateway.client(AwardEmojiServiceService),
    suggestions: gateway.client(SuggestionServiceService),
    suggestedChanges,
    edits,
    deliveries,
    ledger: gateway.client(LedgerServiceService),
    get editsRefused() {
      return state.editsRefused;
    },
    set editsRefused(refused) {
      state.editsRefused = refused;
    },
    as: (user, access) => {
      const actor: Actor =
        user === undefined
          ? anonymous
          : {
              ...anonymous,
              userId: user.id,
              admin: user.admin ?? false,
              external: user.external ?? false,
              scopes: ['api'],
            };
      const target =
        access === undefined
          ? {}
          : { access: Access.fromPartial({ kind: Access_Kind.KIND_PROJECT, visibility: 'private', ...access }) };
      return { requestId: 'test', actor, directorySequence: directory.changes.length, ...target };
    },
    async publish(target, fact, { cause, mergeRequest, ...given } = {}) {
      const id = mergeRequestEventId(fact.$case, target.id, cause);
      const payload: MergeRequestEvent = {
        mergeRequest: {
          id: target.id,
          iid: target.iid,
          projectId: target.projectId,
          authorId: 0,
          title: target.title,
          state: 'opened',
          labelIds: [],
          version: 1,
          ...mergeRequest,
        },
        actorId: 0,
        occurredAt: new Date(),
        imported: false,
        directorySequence: directory.changes.length,
        issueReferences: undefined,
        fact,
        ...given,
      };
      return publish(bus, mergeRequestEvents, payload, id);
    },
    publishEvent: (event, payload, id) => publish(bus, event, payload, id),
    async startHere(changed = {}) {
      const config = service.readConfig({ ...environment, ...changed } as never);
      const context = { signer: identities.signer('collaboration'), trusted };
      running = await startService(config, context, await service.compose(config, context));
      // A channel whose peer was away tries again after a pause, and refuses calls until then.
      await eventually(
        () =>
          installation.unsubscriptions.unsubscribe({ token: '' }, installation.as(undefined)).catch((error) => {
            if (isAppError(error, 'unavailable')) throw error;
          }),
        { within: 20_000, every: 20 },
      );
      // A call waits half a second for the directory, which beside other work is filled for the first time in more than
      // that.
      await eventually(
        async () => {
          const [row] = await db.query<{ sequence: number }>(sql`select sequence from directory.state`);
          if (row === undefined || row.sequence < directory.changes.length) throw new Error('the directory is behind');
        },
        { within: 20_000, every: 20 },
      );
    },
    async stopHere() {
      await running?.close(100);
      running = undefined;
    },
    startProcess: processes.start,
    async close() {
      gateway.close();
      importer.close();
      await installation.stopHere();
      await processes.kill();
      await peers.close(100);
      await bus.close();
      await db.close();
      await home.close();
      await log.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return installation;
}
