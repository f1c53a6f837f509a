import type { PageInfo, PageRequest } from '@switchyard/database';
import { type TrackerLinks, type UserRow, userReference } from '@switchyard/directory';
import { inlineRenderer, projectMarkdownRenderer, type RenderProjectMarkdown } from '@switchyard/markdown';
import { timeTracking } from '@switchyard/messages';
import { IssueServiceService, type UpdateIssueRequest } from '@switchyard/protos/collaboration/v1/issue';
import { type CallContext, entity, fixedOrder, implement, nothing, page, pageRequest, viewerOf } from '@switchyard/rpc';
import { type HealthStatus, timeStats } from '@switchyard/texts';
import { callerOf } from '../application/caller';
import type { createIssue } from '../application/create-issue';
import type { deleteIssue } from '../application/delete-issue';
import type { IssueCaller, IssueNumber } from '../application/issue.edges';
import type { IssueList } from '../application/issue.ports';
import type { listIssuesOfMergeRequest, listMergeRequestsOfIssue } from '../application/list-issue-references';
import type { moveIssue } from '../application/move-issue';
import type { IssueDetails, readIssue, readIssueById } from '../application/read-issue';
import type { subscribeToIssue } from '../application/subscribe-to-issue';
import type { trackIssueTime } from '../application/track-issue-time';
import type { UpdateIssueCommand, updateIssue } from '../application/update-issue';
import type { IssueType } from '../domain/issue';
import type { IssueQuery } from '../domain/issue-query';
import type { IssueView } from '../domain/issue-view';
import { presentIssue } from '../presenters/issue.presenter';
import { toIssueFilter } from './issue-filter.mapper';

/** Use cases behind the service. */
export interface IssueUseCases {
  readonly readIssue: ReturnType<typeof readIssue>;
  readonly readIssueById: ReturnType<typeof readIssueById>;
  readonly createIssue: ReturnType<typeof createIssue>;
  readonly updateIssue: ReturnType<typeof updateIssue>;
  readonly deleteIssue: ReturnType<typeof deleteIssue>;
  readonly moveIssue: ReturnType<typeof moveIssue>;
  readonly trackIssueTime: ReturnType<typeof trackIssueTime>;
  readonly subscribeToIssue: ReturnType<typeof subscribeToIssue>;
  readonly listMergeRequestsOfIssue: ReturnType<typeof listMergeRequestsOfIssue>;
  readonly listIssuesOfMergeRequest: ReturnType<typeof listIssuesOfMergeRequest>;
  readonly listIssueParticipants: (
    caller: IssueCaller,
    key: IssueNumber,
    request: PageRequest,
  ) => Promise<{ users: UserRow[]; page: PageInfo }>;
}

/** What the handler reads and renders with. */
export interface IssueHandlerEdges {
  readonly lists: IssueList;
  readonly externalUrl: string;
  readonly clock: () => Date;
  readonly trackerLinks: TrackerLinks;
}

const comma = Buffer.from(',');

/** Commands leave out what the request leaves out. */
const toUpdate = (request: UpdateIssueRequest): UpdateIssueCommand => ({
  title: request.title,
  description: request.description,
  stateEvent: request.stateEvent as UpdateIssueCommand['stateEvent'],
  assigneeIds: request.assigneeIds?.ids,
  labels: request.labels?.titles,
  addLabels: request.addLabels,
  removeLabels: request.removeLabels,
  milestoneId: request.milestoneId,
  dueDate: request.dueDate === '' ? null : request.dueDate,
  weight: request.clearWeight ? null : request.weight,
  healthStatus: request.healthStatus === '' ? null : (request.healthStatus as HealthStatus | undefined),
  confidential: request.confidential,
  discussionLocked: request.discussionLocked,
  issueType: request.issueType as IssueType | undefined,
  updatedAt: request.updatedAt,
  epicId: request.epicId === 0 ? null : request.epicId,
});

/** gRPC side of issues. */
export function issueHandler(useCases: IssueUseCases, { lists, externalUrl, clock, trackerLinks }: IssueHandlerEdges) {
  const htmlOf = async (wanted: boolean, views: readonly IssueView[]) =>
    wanted
      ? projectMarkdownRenderer(await trackerLinks(views.map(({ issue }) => issue.projectId)), externalUrl)
      : undefined;

  const rendering = (context: CallContext, inProject = true, html?: RenderProjectMarkdown) => ({
    externalUrl,
    context: inProject ? ('project' as const) : ('instance' as const),
    now: clock(),
    tier: context.access?.tier ?? '',
    html,
  });

  const shown = ({ view, subscribed }: IssueDetails, context: CallContext, html?: RenderProjectMarkdown) =>
    entity({ ...presentIssue(view, rendering(context, true, html)), subscribed });

  const queryOf = (
    request: { projectId: number; groupId: number; filter: Parameters<typeof toIssueFilter>[0] },
    context: CallContext,
  ): IssueQuery => ({
    scope:
      request.projectId > 0
        ? { projectId: request.projectId, level: context.access?.level ?? 0 }
        : request.groupId > 0
          ? { groupId: request.groupId }
          : 'all',
    filter: toIssueFilter(request.filter),
    viewer: viewerOf(context),
  });

  return implement(IssueServiceService, {
    async listIssues(request, context) {
      const wanted = pageRequest(request.page, { orderBy: 'created_at', descending: true });
      const found = await lists.page(queryOf(request, context), wanted);
      const how = {
        ...rendering(context, request.projectId > 0, await htmlOf(request.renderHtml, found.rows)),
        labelHtml: request.withLabelsDetails ? inlineRenderer() : undefined,
      };
      return page(
        found.rows.map((view) => presentIssue(view, how)),
        { ...found.page, keyset: request.page?.keyset ?? false },
      );
    },

    getIssuesStatistics: async (request, context) =>
      entity({ statistics: { counts: await lists.counts(queryOf(request, context)) } }),

    async getIssue({ renderHtml, ...key }, context) {
      const found = await useCases.readIssue(callerOf(context), key);
      return shown(found, context, await htmlOf(renderHtml, [found.view]));
    },

    getIssueById: async ({ id }, context) => {
      const { view, subscribed } = await useCases.readIssueById(callerOf(context), id);
      return entity({ ...presentIssue(view, rendering(context, false)), subscribed });
    },

    async createIssue(request, context) {
      const caller = callerOf(context);
      const iid = await useCases.createIssue(caller, {
        ...request,
        issueType: (request.issueType || 'issue') as IssueType,
        milestoneId: request.milestoneId || undefined,
        dueDate: request.dueDate || undefined,
        healthStatus: (request.healthStatus || undefined) as HealthStatus | undefined,
        iid: request.iid || undefined,
        epicId: request.epicId || undefined,
      });
      return shown(await useCases.readIssue(caller, { projectId: request.projectId, iid }), context);
    },

    async updateIssue(request, context) {
      const caller = callerOf(context);
      await useCases.updateIssue(caller, request, toUpdate(request));
      return shown(await useCases.readIssue(caller, request), context);
    },

    async deleteIssue({ ifUnmodifiedSince, ...key }, context) {
      await useCases.deleteIssue(callerOf(context), key, ifUnmodifiedSince);
      return nothing();
    },

    async moveIssue({ toProjectId, ...key }, context) {
      return shown(await useCases.moveIssue(callerOf(context), key, toProjectId), context);
    },

    trackIssueTime: async ({ tracking, ...key }, context) =>
      entity(timeStats(await useCases.trackIssueTime(callerOf(context), key, timeTracking(tracking)))),

    getIssueTimeStats: async (key, context) =>
      entity(timeStats((await useCases.readIssue(callerOf(context), key)).view.issue)),

    async setIssueSubscription({ subscribed, ...key }, context) {
      const details = await useCases.subscribeToIssue(callerOf(context), key, subscribed);
      return details === undefined ? nothing(304) : shown(details, context);
    },

    async listMergeRequestsOfIssue({ page: wanted, closing, ...key }, context) {
      const request = fixedOrder(wanted, 'id', 'asc');
      const found = await useCases.listMergeRequestsOfIssue(context, callerOf(context), key, closing, request);
      // Finished JSON, put together as it came.
      const parts = found.shown.flatMap((one, at) => (at === 0 ? [one] : [comma, one]));
      const empty = page([], { ...found.page, keyset: request.mode === 'keyset' });
      return { ...empty, json: Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]) };
    },

    async listIssuesOfMergeRequest({ projectId, mergeRequestIid: iid, closing, page: wanted }, context) {
      const request = fixedOrder(wanted, 'relative_position', 'asc');
      const found = await useCases.listIssuesOfMergeRequest(context, { projectId, iid }, closing, request);
      return page(
        found.rows.map((view) => presentIssue(view, rendering(context, view.issue.projectId === projectId))),
        { ...found.page, keyset: request.mode === 'keyset' },
      );
    },

    async listIssueParticipants({ page: wanted, ...key }, context) {
      const request = fixedOrder(wanted, 'id', 'asc');
      const found = await useCases.listIssueParticipants(callerOf(context), key, request);
      return page(
        found.users.map((user) => userReference(user, externalUrl)),
        { ...found.page, keyset: request.mode === 'keyset' },
      );
    },
  });
}
