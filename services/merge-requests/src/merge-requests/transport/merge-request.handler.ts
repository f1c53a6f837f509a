import { fullPath, userReference } from '@switchyard/directory';
import { AppError, forbidden, notFound, unauthorized } from '@switchyard/errors';
import { inlineRenderer, projectMarkdownRenderer, type RenderProjectMarkdown } from '@switchyard/markdown';
import { timeTracking } from '@switchyard/messages';
import {
  type IdList,
  MergeRequestServiceService,
  type UpdateMergeRequestRequest,
} from '@switchyard/protos/merge_requests/v1/merge_request';
import { levels } from '@switchyard/rights';
import { type CallContext, entity, implement, nothing, page, pageRequest, viewerOf } from '@switchyard/rpc';
import { timeStats } from '@switchyard/texts';
import { callerOf } from '../../callers';
import { maxDiffFiles } from '../../git';
import { commitObject, diffObject, sliced, windowOf, windowPage } from '../../repositories';
import type { cancelAutoMerge } from '../application/cancel-auto-merge';
import type { contextCommitsOf } from '../application/context-commits';
import type { createMergeRequest } from '../application/create-merge-request';
import type { mergeMergeRequest } from '../application/merge-merge-request';
import type { MergeRequestEdges } from '../application/merge-request.edges';
import type {
  findMergeRequestsOfCommit,
  readCommitsOf,
  readDiffsOf,
  readMergeRef,
  readMergeRequest,
  readVersionOf,
} from '../application/read-merge-request';
import type { rebaseMergeRequest } from '../application/rebase-merge-request';
import type { trackMergeRequestTime } from '../application/track-merge-request-time';
import type { updateMergeRequest } from '../application/update-merge-request';
import { decideDeletion } from '../domain/change-consequences';
import type { MergeRequestState } from '../domain/merge-request';
import type { MergeRequestEdit } from '../domain/merge-request-edit';
import type { MergeRequestView } from '../domain/merge-request-view';
import { presentMergeRequest, presentSimpleMergeRequest } from '../presenters/merge-request.presenter';
import {
  type DetailOptions,
  presentMergeRequestDetails,
  presentReviewer,
  presentVersion,
  presentVersionDetails,
} from '../presenters/merge-request-details.presenter';
import { toMergeRequestFilter } from './merge-request-filter.mapper';

/** The use cases behind the RPCs. */
export interface MergeRequestUseCases {
  readonly createMergeRequest: ReturnType<typeof createMergeRequest>;
  readonly updateMergeRequest: ReturnType<typeof updateMergeRequest>;
  readonly trackMergeRequestTime: ReturnType<typeof trackMergeRequestTime>;
  readonly mergeMergeRequest: ReturnType<typeof mergeMergeRequest>;
  readonly cancelAutoMerge: ReturnType<typeof cancelAutoMerge>;
  readonly rebaseMergeRequest: ReturnType<typeof rebaseMergeRequest>;
  readonly readMergeRequest: ReturnType<typeof readMergeRequest>;
  readonly readMergeRequestCommits: ReturnType<typeof readCommitsOf>;
  readonly readMergeRequestDiffs: ReturnType<typeof readDiffsOf>;
  readonly readMergeRequestVersion: ReturnType<typeof readVersionOf>;
  readonly readMergeRef: ReturnType<typeof readMergeRef>;
  readonly contextCommits: ReturnType<typeof contextCommitsOf>;
  readonly findMergeRequestsOfCommit: ReturnType<typeof findMergeRequestsOfCommit>;
}

type Key = { projectId: number; iid: number };

/** Least level that deletes merge requests (api.md 4.2). */
const { owner } = levels;
/** Least level whose wish for a recheck a list follows (G-4.2-2). */
const recheckLevel = levels.developer;

/** Quick actions of notes change merge requests in the name of the author of the note. */
const command = { callers: ['gateway', 'collaboration'], onBehalfOf: true };

const ids = (list: IdList | undefined): number[] | undefined => list?.ids;

/** Commands leave out what the request leaves out. */
const toUpdate = (request: UpdateMergeRequestRequest): MergeRequestEdit => ({
  title: request.title,
  description: request.description,
  targetBranch: request.targetBranch,
  stateEvent: request.stateEvent as MergeRequestEdit['stateEvent'],
  assigneeIds: ids(request.assigneeIds),
  addAssigneeIds: request.addAssigneeIds,
  removeAssigneeIds: request.removeAssigneeIds,
  reviewerIds: ids(request.reviewerIds),
  labels: request.labels?.titles,
  addLabels: request.addLabels,
  removeLabels: request.removeLabels,
  milestoneId: request.milestoneId,
  discussionLocked: request.discussionLocked,
  removeSourceBranch: request.removeSourceBranch,
  squash: request.squash,
  allowCollaboration: request.allowCollaboration,
  mergeAfter: request.clearMergeAfter ? null : request.mergeAfter,
  strict: request.strict,
});

/** gRPC side of merge requests. */
export function mergeRequestHandler(useCases: MergeRequestUseCases, edges: MergeRequestEdges) {
  const { mergeRequests, externalUrl, clock } = edges;

  const htmlOf = async (wanted: boolean | undefined, views: readonly MergeRequestView[]) =>
    wanted === true
      ? projectMarkdownRenderer(
          await edges.trackerLinks(views.map(({ mergeRequest }) => mergeRequest.projectId)),
          externalUrl,
        )
      : undefined;

  const rendering = (context: CallContext, inProject = true, html?: RenderProjectMarkdown) => ({
    externalUrl,
    context: inProject ? ('project' as const) : ('instance' as const),
    now: clock(),
    tier: context.access?.tier ?? '',
    html,
  });

  async function details(
    key: Key | { id: number },
    context: CallContext,
    options: DetailOptions & { diverged?: boolean; html?: boolean } = {},
    status = 0,
  ) {
    const found = await useCases.readMergeRequest(callerOf(context), key, options);
    const html = await htmlOf(options.html, [found.view]);
    return entity(presentMergeRequestDetails(found, rendering(context, true, html), options), status);
  }

  async function existing(key: Key): Promise<MergeRequestView> {
    const view = await mergeRequests.view(key);
    if (view === undefined) throw new AppError('not_found', '404 Not found');
    return view;
  }

  const addressOf = (view: MergeRequestView) => ({ externalUrl, fullPath: fullPath(view.project) });

  const service = implement(MergeRequestServiceService, {
    async listMergeRequests(request, context) {
      const { projectId, groupId } = request;
      const filter = toMergeRequestFilter(request.filter);
      const scope = projectId > 0 ? { projectId } : groupId > 0 ? { groupId } : ('all' as const);
      const { rows, page: info } = await mergeRequests.list({
        scope,
        filter,
        viewer: viewerOf(context),
        request: pageRequest(request.page, { orderBy: 'created_at', descending: true }),
      });
      if (rows.length === 0 && projectId > 0) {
        const project = await edges.directory.project(projectId);
        if (project?.settings.mergeRequestsEnabled === false) throw forbidden();
        const deploymentId = filter.deployment?.id;
        if (deploymentId !== undefined && !(await mergeRequests.hasDeployment(projectId, deploymentId)))
          throw notFound();
      }
      if (request.withMergeStatusRecheck && (context.access?.level ?? 0) >= recheckLevel) {
        await mergeRequests.recheck({ ids: rows.map(({ mergeRequest }) => mergeRequest.id) });
      }
      const how = {
        ...rendering(context, projectId > 0, await htmlOf(request.renderHtml && !request.simple, rows)),
        labelHtml: request.withLabelsDetails ? inlineRenderer() : undefined,
      };
      return page(
        rows.map((view) =>
          request.simple ? presentSimpleMergeRequest(view, externalUrl) : presentMergeRequest(view, how),
        ),
        { ...info, keyset: request.page?.keyset ?? false },
      );
    },

    async listCommitMergeRequests({ projectId, sha, state, page: wanted }, context) {
      const { rows, page: info } = await useCases.findMergeRequestsOfCommit(
        viewerOf(context),
        { projectId, sha, state: (state || undefined) as MergeRequestState | undefined },
        pageRequest(wanted, { orderBy: 'created_at', descending: true }),
      );
      const how = rendering(context);
      return page(
        rows.map((view) => presentMergeRequest(view, how)),
        { ...info, keyset: wanted?.keyset ?? false },
      );
    },

    getMergeRequest: ({ projectId, iid, ...request }, context) =>
      details({ projectId, iid }, context, {
        html: request.renderHtml,
        rebaseInProgress: request.includeRebaseInProgress,
        diverged: request.includeDivergedCommitsCount,
      }),

    async createMergeRequest(request, context) {
      const { id, caller } = await useCases.createMergeRequest(callerOf(context), {
        ...request,
        targetProjectId: request.targetProjectId || request.projectId,
        description: request.description || undefined,
        milestoneId: request.milestoneId || undefined,
      });
      const found = await useCases.readMergeRequest(caller, { id });
      return entity(presentMergeRequestDetails(found, rendering(context)));
    },

    async updateMergeRequest(request, context) {
      const id = await useCases.updateMergeRequest(callerOf(context), request, toUpdate(request));
      return details({ id }, context);
    },

    async deleteMergeRequest({ projectId, iid, ifUnmodifiedSince }, context) {
      const { mergeRequest } = await existing({ projectId, iid });
      if (!context.actor.admin && (context.access?.level ?? 0) < owner) throw forbidden();
      await mergeRequests.remove(mergeRequest.id, context.actor.userId, ifUnmodifiedSince, decideDeletion);
      return nothing();
    },

    async mergeMergeRequest(request, context) {
      const id = await useCases.mergeMergeRequest(callerOf(context), request, {
        mergeCommitMessage: request.mergeCommitMessage || undefined,
        squashCommitMessage: request.squashCommitMessage || undefined,
        squash: request.squash,
        removeSourceBranch: request.shouldRemoveSourceBranch,
        autoMerge: request.autoMerge,
        sha: request.sha || undefined,
        skipTrain: request.skipMergeTrain,
      });
      return details({ id }, context);
    },

    async cancelAutoMerge(request, context) {
      await useCases.cancelAutoMerge(callerOf(context), request);
      return entity({ status: 'success' });
    },

    async rebaseMergeRequest({ skipCi, ...key }, context) {
      await useCases.rebaseMergeRequest(callerOf(context), key, skipCi);
      return entity({ rebase_in_progress: true });
    },

    getMergeRef: async (key) => entity({ commit_id: await useCases.readMergeRef(key) }),

    async listMergeRequestCommits({ page: wanted, ...key }) {
      const { offset, limit } = windowOf(wanted);
      const { view, items, total } = await useCases.readMergeRequestCommits(key, { skip: offset, limit });
      const address = addressOf(view);
      return windowPage(
        items.map((commit) => commitObject(commit, address)),
        wanted,
        { total, hasNext: offset + items.length < total },
      );
    },

    async listContextCommits({ page: wanted, ...key }) {
      const window = windowOf(wanted);
      const { view, items, total } = await useCases.contextCommits.list(key, window);
      const address = addressOf(view);
      return windowPage(
        items.map((commit) => commitObject(commit, address)),
        wanted,
        { total, hasNext: window.offset + window.limit < total },
      );
    },

    async addContextCommits({ commits: named, ...key }, context) {
      const { view, commits } = await useCases.contextCommits.add(callerOf(context), key, named);
      const address = addressOf(view);
      return entity(commits.map((commit) => commitObject(commit, address)));
    },

    async removeContextCommits({ commits: named, ...key }, context) {
      await useCases.contextCommits.remove(callerOf(context), key, named);
      return nothing();
    },

    async listMergeRequestDiffs({ page: wanted, unidiff, ...key }) {
      const { offset, limit } = windowOf(wanted);
      const { diff } = await useCases.readMergeRequestDiffs(key, { unidiff, page: { skip: offset, limit } });
      // What is never listed is on no page.
      const total = Math.min(diff.total, maxDiffFiles);
      return windowPage(diff.files.map(diffObject), wanted, { total, hasNext: offset + diff.files.length < total });
    },

    async getMergeRequestChanges({ unidiff, ...key }, context) {
      const { diff } = await useCases.readMergeRequestDiffs(key, { unidiff });
      const found = await useCases.readMergeRequest(callerOf(context), key);
      return entity({
        ...presentMergeRequestDetails(found, rendering(context)),
        changes: diff.files.map(diffObject),
        overflow: diff.overflow,
      });
    },

    async listMergeRequestVersions({ page: wanted, ...key }) {
      const { mergeRequest } = await existing(key);
      const { offset, limit } = windowOf(wanted);
      const found = await mergeRequests.diffs(mergeRequest.id, offset, limit + 1);
      return windowPage(
        found.slice(0, limit).map((version) => presentVersion(version, mergeRequest.id)),
        wanted,
        { hasNext: found.length > limit },
      );
    },

    async getMergeRequestVersion({ versionId, unidiff, ...key }) {
      const found = await useCases.readMergeRequestVersion(key, versionId, unidiff);
      return entity(presentVersionDetails(found, found.view.mergeRequest.id, addressOf(found.view)));
    },

    async listParticipants({ page: wanted, ...key }) {
      const { mergeRequest } = await existing(key);
      const { items, place } = sliced(await mergeRequests.participants(mergeRequest.id), wanted);
      return windowPage(
        items.map((user) => userReference(user, externalUrl)),
        wanted,
        place,
      );
    },

    async listReviewers({ page: wanted, ...key }) {
      const { mergeRequest } = await existing(key);
      const known = (await mergeRequests.reviewers(mergeRequest.id)).flatMap(({ user, ...reviewer }) =>
        user === null ? [] : [{ ...reviewer, user }],
      );
      const { items, place } = sliced(known, wanted);
      return windowPage(
        items.map((reviewer) => presentReviewer(reviewer, externalUrl)),
        wanted,
        place,
      );
    },

    async setSubscription({ subscribed, ...key }, context) {
      const { userId } = context.actor;
      if (userId === 0) throw unauthorized();
      const { mergeRequest } = await existing(key);
      if ((await mergeRequests.isSubscribed(mergeRequest.id, userId)) === subscribed) {
        return nothing(304);
      }
      await mergeRequests.setSubscription(mergeRequest.id, userId, subscribed);
      return details(key, context);
    },

    trackMergeRequestTime: async ({ tracking, cause, ...key }, context) =>
      entity(
        timeStats(
          await useCases.trackMergeRequestTime(callerOf(context), key, timeTracking(tracking), cause || undefined),
        ),
      ),

    getMergeRequestTimeStats: async (key) => entity(timeStats((await existing(key)).mergeRequest)),
  });
  return {
    ...service,
    rules: { updateMergeRequest: command, setSubscription: command, trackMergeRequestTime: command },
  };
}
