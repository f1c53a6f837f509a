import { unauthorized } from '@switchyard/errors';
import {
  MergeRequestFilter,
  MergeRequestServiceService,
  TitleFilter_Kind,
  type UserFilter,
  UserFilter_Kind,
} from '@switchyard/protos/merge_requests/v1/merge_request';
import type { z } from 'zod';
import { atLeastOne, mutuallyExclusive } from '../../http/check-parameters';
import {
  boolean,
  csv,
  csvOrNoneAny,
  dateTime,
  hash,
  idOrNoneAny,
  integer,
  integers,
  manyOf,
  nullable,
  oneOf,
  text,
  textOrNoneAny,
} from '../../http/params';
import { defineRoute } from '../../http/route';

const mergeRequest = { merge_request_iid: integer() };
const projectPath = '/projects/:id/merge_requests' as const;
const onePath = `${projectPath}/:merge_request_iid` as const;

// Filters on approvals, emoji, deployments and environments get their parameter here, their field in MergeRequestFilter and their
// line in the clause table of the service's storage/merge-request.filter.ts.
const exclusions = {
  labels: csvOrNoneAny().optional(),
  milestone: textOrNoneAny().optional(),
  author_id: integer().optional(),
  author_username: csv().optional(),
  assignee_id: idOrNoneAny().optional(),
  assignee_username: csv().optional(),
  reviewer_id: idOrNoneAny().optional(),
  reviewer_username: textOrNoneAny().optional(),
  source_branch: text().optional(),
  target_branch: text().optional(),
};

const filters = {
  state: oneOf('opened', 'closed', 'locked', 'merged', 'all').default('all'),
  scope: oneOf(
    'created_by_me',
    'created-by-me',
    'assigned_to_me',
    'assigned-to-me',
    'reviews_for_me',
    'reviews-for-me',
    'all',
  ).optional(),
  source_branch: text().optional(),
  target_branch: text().optional(),
  author_id: integer().optional(),
  author_username: text().optional(),
  assignee_id: idOrNoneAny().optional(),
  assignee_username: csv().optional(),
  reviewer_id: idOrNoneAny().optional(),
  reviewer_username: textOrNoneAny().optional(),
  merge_user_id: integer().optional(),
  merge_user_username: text().optional(),
  labels: csvOrNoneAny().optional(),
  milestone: textOrNoneAny().optional(),
  search: text().optional(),
  in: manyOf('title', 'description').optional(),
  created_after: dateTime().optional(),
  created_before: dateTime().optional(),
  updated_after: dateTime().optional(),
  updated_before: dateTime().optional(),
  wip: oneOf('yes', 'no').optional(),
  source_project_id: integer().optional(),
  not: hash(exclusions).optional(),
  view: oneOf('simple').optional(),
  with_labels_details: boolean().default(false),
  with_merge_status_recheck: boolean().default(false),
};

const exclusive = [
  mutuallyExclusive('author_id', 'author_username'),
  mutuallyExclusive('assignee_id', 'assignee_username'),
  mutuallyExclusive('reviewer_id', 'reviewer_username'),
  mutuallyExclusive('merge_user_id', 'merge_user_username'),
];

const list = { orderBy: ['created_at', 'updated_at', 'title', 'merged_at'], sort: 'desc' } as const;

type Values<T extends z.ZodRawShape> = z.infer<z.ZodObject<T>>;

const noUsers: UserFilter = { kind: UserFilter_Kind.KIND_UNSPECIFIED, ids: [], usernames: [] };

const users = (id: number | 'None' | 'Any' | undefined, names: string | readonly string[] | undefined): UserFilter => {
  const word = id ?? (typeof names === 'string' ? names : undefined);
  if (word === 'None') return { ...noUsers, kind: UserFilter_Kind.KIND_NONE };
  if (word === 'Any') return { ...noUsers, kind: UserFilter_Kind.KIND_ANY };
  const usernames = typeof names === 'string' ? [names] : [...(names ?? [])];
  if (id === undefined && usernames.length === 0) return noUsers;
  return { kind: UserFilter_Kind.KIND_USERS, ids: typeof id === 'number' ? [id] : [], usernames };
};

const titles = (given: readonly string[] | string | undefined) => {
  if (given === 'None') return { kind: TitleFilter_Kind.KIND_NONE, titles: [] };
  if (given === 'Any') return { kind: TitleFilter_Kind.KIND_ANY, titles: [] };
  const all = typeof given === 'string' ? [given] : [...(given ?? [])];
  const wanted = all.filter((title) => title !== '');
  return {
    kind: wanted.length === 0 ? TitleFilter_Kind.KIND_UNSPECIFIED : TitleFilter_Kind.KIND_TITLES,
    titles: wanted,
  };
};

const excluded = (not: Values<typeof exclusions>) => ({
  labels: titles(not.labels),
  milestone: titles(not.milestone),
  author: users(not.author_id, not.author_username),
  assignee: users(not.assignee_id, not.assignee_username),
  reviewer: users(not.reviewer_id, not.reviewer_username),
  sourceBranch: not.source_branch ?? '',
  targetBranch: not.target_branch ?? '',
});

function filterOf(params: Values<typeof filters>, scope: string | undefined) {
  const fields = params.in === undefined || params.in.length === 0 ? ['title', 'description'] : params.in;
  return MergeRequestFilter.fromPartial({
    state: params.state === 'all' ? '' : params.state,
    scope: scope === undefined || scope === 'all' ? '' : scope.replaceAll('-', '_'),
    sourceBranch: params.source_branch,
    targetBranch: params.target_branch,
    author: users(params.author_id, params.author_username === undefined ? undefined : [params.author_username]),
    assignee: users(params.assignee_id, params.assignee_username),
    reviewer: users(params.reviewer_id, params.reviewer_username),
    mergeUser: users(
      params.merge_user_id,
      params.merge_user_username === undefined ? undefined : [params.merge_user_username],
    ),
    labels: titles(params.labels),
    milestone: titles(params.milestone),
    search: params.search,
    searchTitle: fields.includes('title'),
    searchDescription: fields.includes('description'),
    createdAfter: params.created_after,
    createdBefore: params.created_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
    draft: params.wip === undefined ? undefined : params.wip === 'yes',
    sourceProjectId: params.source_project_id,
    not: params.not === undefined ? undefined : excluded(params.not),
  });
}

const shown = (params: Values<typeof filters>) => ({
  simple: params.view === 'simple',
  withLabelsDetails: params.with_labels_details,
  withMergeStatusRecheck: params.with_merge_status_recheck,
});

const people = {
  assignee_id: nullable(integer({ min: 0 })).optional(),
  assignee_ids: integers({ min: 0 }).optional(),
  reviewer_ids: integers({ min: 0 }).optional(),
};

const sharedFields = {
  ...people,
  description: nullable(text()).optional(),
  labels: csv().optional(),
  add_labels: csv().optional(),
  remove_labels: csv().optional(),
  milestone_id: nullable(integer({ min: 0 })).optional(),
  remove_source_branch: boolean().optional(),
  allow_collaboration: boolean().optional(),
  allow_maintainer_to_push: boolean().optional(),
  squash: boolean().optional(),
  merge_after: nullable(dateTime()).optional(),
};

const positive = (ids: readonly number[]): number[] => ids.filter((id) => id > 0);

/** Assignees as either parameter gives them; undefined when neither was sent. */
const assigneesOf = (params: Values<typeof people>): number[] | undefined => {
  if (params.assignee_ids !== undefined) return positive(params.assignee_ids);
  if (params.assignee_id === undefined) return undefined;
  return positive([params.assignee_id ?? 0]);
};

const updatable = [
  'add_labels',
  'allow_collaboration',
  'allow_maintainer_to_push',
  'assignee_id',
  'assignee_ids',
  'description',
  'discussion_locked',
  'labels',
  'merge_after',
  'milestone_id',
  'remove_labels',
  'remove_source_branch',
  'reviewer_ids',
  'squash',
  'state_event',
  'target_branch',
  'title',
];

const reviewersOf = (ids: readonly number[] | undefined) => (ids === undefined ? undefined : { ids: positive(ids) });

/** The moment of a condition header; undefined when there is none or it is no date. */
const moment = (header: string | undefined): Date | undefined => {
  const date = new Date(header ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
};

/** Merge requests (api.md 4.2, G-4.2-1). */
export const mergeRequestRoutes = [
  defineRoute({
    method: 'get',
    path: '/merge_requests',
    summary: 'List merge requests',
    access: 'public',
    params: filters,
    relations: exclusive,
    limitWith: { parameter: 'search', limit: 'search' },
    list,
    returns: { 200: ['MergeRequestItem'] },
    handle: async ({ params, actor, page, call }) => {
      const scope = params.scope ?? 'created_by_me';
      if (actor.userId === 0 && scope !== 'all') throw unauthorized();
      return call(MergeRequestServiceService).listMergeRequests({
        projectId: 0,
        groupId: 0,
        filter: filterOf(params, scope),
        page,
        ...shown(params),
      });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/merge_requests',
    summary: 'List merge requests of a group',
    access: { group: 'read_group' },
    params: { ...filters, non_archived: boolean().default(true) },
    relations: exclusive,
    limitWith: { parameter: 'search', limit: 'search' },
    list,
    returns: { 200: ['MergeRequestItem'] },
    handle: ({ params, access, page, call }) =>
      call(MergeRequestServiceService).listMergeRequests({
        projectId: 0,
        groupId: access.id,
        filter: { ...filterOf(params, params.scope), nonArchived: params.non_archived },
        page,
        ...shown(params),
      }),
  }),
  defineRoute({
    method: 'get',
    path: projectPath,
    summary: 'List merge requests of a project',
    access: { project: 'read_merge_request' },
    params: { ...filters, iids: integers().optional() },
    relations: exclusive,
    limitWith: { parameter: 'search', limit: 'search' },
    list,
    returns: { 200: ['MergeRequestItem'] },
    handle: ({ params, access, page, call }) =>
      call(MergeRequestServiceService).listMergeRequests({
        projectId: access.id,
        groupId: 0,
        filter: { ...filterOf(params, params.scope), iids: params.iids ?? [] },
        page,
        ...shown(params),
      }),
  }),
  defineRoute({
    method: 'post',
    path: projectPath,
    summary: 'Create a merge request',
    access: { project: 'create_merge_request' },
    params: {
      source_branch: text({ notEmpty: true }),
      target_branch: text({ notEmpty: true }),
      title: text({ notEmpty: true }),
      target_project_id: integer().optional(),
      ...sharedFields,
      approvals_before_merge: integer({ min: 0 }).optional(),
    },
    relations: [mutuallyExclusive('assignee_id', 'assignee_ids')],
    returns: { 201: 'MergeRequest' },
    handle: ({ params, access, call }) => {
      const removed = new Set(params.remove_labels);
      return call(MergeRequestServiceService).createMergeRequest({
        projectId: access.id,
        targetProjectId: params.target_project_id ?? 0,
        sourceBranch: params.source_branch,
        targetBranch: params.target_branch,
        title: params.title,
        description: params.description ?? '',
        assigneeIds: assigneesOf(params) ?? [],
        reviewerIds: positive(params.reviewer_ids ?? []),
        labels: [...(params.labels ?? []), ...(params.add_labels ?? [])].filter((title) => !removed.has(title)),
        milestoneId: params.milestone_id ?? 0,
        removeSourceBranch: params.remove_source_branch,
        squash: params.squash,
        allowCollaboration: params.allow_collaboration ?? params.allow_maintainer_to_push ?? false,
        mergeAfter: params.merge_after ?? undefined,
        approvalsBeforeMerge: params.approvals_before_merge,
      });
    },
  }),
  defineRoute({
    method: 'get',
    path: onePath,
    summary: 'Get a merge request',
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    params: {
      render_html: boolean().default(false),
      include_diverged_commits_count: boolean().default(false),
      include_rebase_in_progress: boolean().default(false),
    },
    returns: { 200: 'MergeRequest' },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).getMergeRequest({
        projectId: access.id,
        iid: path.merge_request_iid,
        renderHtml: params.render_html,
        includeDivergedCommitsCount: params.include_diverged_commits_count,
        includeRebaseInProgress: params.include_rebase_in_progress,
      }),
  }),
  defineRoute({
    method: 'put',
    path: onePath,
    summary: 'Update a merge request',
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    params: {
      title: text({ notEmpty: true }).optional(),
      target_branch: text({ notEmpty: true }).optional(),
      state_event: oneOf('close', 'reopen').optional(),
      discussion_locked: boolean().optional(),
      ...sharedFields,
    },
    relations: [atLeastOne(...updatable), mutuallyExclusive('assignee_id', 'assignee_ids')],
    returns: { 200: 'MergeRequest' },
    handle: ({ params, path, access, call }) => {
      const assignees = assigneesOf(params);
      return call(MergeRequestServiceService).updateMergeRequest({
        projectId: access.id,
        iid: path.merge_request_iid,
        title: params.title,
        description: params.description === null ? '' : params.description,
        targetBranch: params.target_branch,
        stateEvent: params.state_event,
        assigneeIds: assignees === undefined ? undefined : { ids: assignees },
        reviewerIds: reviewersOf(params.reviewer_ids),
        labels: params.labels === undefined ? undefined : { titles: params.labels },
        addLabels: params.add_labels ?? [],
        removeLabels: params.remove_labels ?? [],
        milestoneId: params.milestone_id === null ? 0 : params.milestone_id,
        discussionLocked: params.discussion_locked,
        removeSourceBranch: params.remove_source_branch,
        squash: params.squash,
        allowCollaboration: params.allow_collaboration ?? params.allow_maintainer_to_push,
        mergeAfter: params.merge_after ?? undefined,
        clearMergeAfter: params.merge_after === null,
      });
    },
  }),
  defineRoute({
    method: 'delete',
    path: onePath,
    summary: 'Delete a merge request',
    access: { project: 'delete_merge_request' },
    path_params: mergeRequest,
    returns: { 204: undefined },
    handle: ({ path, access, header, call }) =>
      call(MergeRequestServiceService).deleteMergeRequest({
        projectId: access.id,
        iid: path.merge_request_iid,
        ifUnmodifiedSince: moment(header('if-unmodified-since')),
      }),
  }),
  defineRoute({
    method: 'put',
    path: `${onePath}/merge`,
    summary: 'Merge a merge request',
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    params: {
      merge_commit_message: text().optional(),
      squash_commit_message: text().optional(),
      squash: boolean().optional(),
      should_remove_source_branch: boolean().optional(),
      merge_when_pipeline_succeeds: boolean().optional(),
      auto_merge: boolean().optional(),
      sha: text().optional(),
      skip_merge_train: boolean().default(false),
    },
    returns: { 200: 'MergeRequest' },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).mergeMergeRequest({
        projectId: access.id,
        iid: path.merge_request_iid,
        mergeCommitMessage: params.merge_commit_message ?? '',
        squashCommitMessage: params.squash_commit_message ?? '',
        squash: params.squash,
        shouldRemoveSourceBranch: params.should_remove_source_branch,
        autoMerge: params.auto_merge ?? params.merge_when_pipeline_succeeds ?? false,
        sha: params.sha ?? '',
        skipMergeTrain: params.skip_merge_train,
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${onePath}/cancel_merge_when_pipeline_succeeds`,
    summary: 'Cancel auto-merge',
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    returns: { 201: 'AutoMergeCanceled' },
    handle: ({ path, access, call }) =>
      call(MergeRequestServiceService).cancelAutoMerge({ projectId: access.id, iid: path.merge_request_iid }),
  }),
  defineRoute({
    method: 'put',
    path: `${onePath}/rebase`,
    summary: 'Rebase a merge request',
    access: { project: 'update_merge_request' },
    path_params: mergeRequest,
    params: { skip_ci: boolean().default(false) },
    returns: { 202: 'RebaseStarted' },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).rebaseMergeRequest({
        projectId: access.id,
        iid: path.merge_request_iid,
        skipCi: params.skip_ci,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/merge_ref`,
    summary: 'Get the commit a merge would give',
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    returns: { 200: 'MergeRef' },
    handle: ({ path, access, call }) =>
      call(MergeRequestServiceService).getMergeRef({ projectId: access.id, iid: path.merge_request_iid }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/commits`,
    summary: 'List commits of a merge request',
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    list: { orderBy: [] },
    returns: { 200: ['Commit'] },
    handle: ({ path, access, page, call }) =>
      call(MergeRequestServiceService).listMergeRequestCommits({
        projectId: access.id,
        iid: path.merge_request_iid,
        page,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/diffs`,
    summary: 'List diffs of a merge request',
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    params: { unidiff: boolean().default(false) },
    list: { orderBy: [] },
    returns: { 200: ['RepositoryDiff'] },
    handle: ({ params, path, access, page, call }) =>
      call(MergeRequestServiceService).listMergeRequestDiffs({
        projectId: access.id,
        iid: path.merge_request_iid,
        page,
        unidiff: params.unidiff,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/changes`,
    summary: 'Get a merge request with its changes',
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    params: { access_raw_diffs: boolean().optional(), unidiff: boolean().default(false) },
    returns: { 200: 'MergeRequestChanges' },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).getMergeRequestChanges({
        projectId: access.id,
        iid: path.merge_request_iid,
        unidiff: params.unidiff,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/versions`,
    summary: 'List diff versions of a merge request',
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    list: { orderBy: [] },
    returns: { 200: ['MergeRequestVersion'] },
    handle: ({ path, access, page, call }) =>
      call(MergeRequestServiceService).listMergeRequestVersions({
        projectId: access.id,
        iid: path.merge_request_iid,
        page,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/versions/:version_id`,
    summary: 'Get a diff version of a merge request',
    access: { project: 'read_merge_request' },
    path_params: { ...mergeRequest, version_id: integer() },
    params: { unidiff: boolean().default(false) },
    returns: { 200: 'MergeRequestVersionDetails' },
    handle: ({ params, path, access, call }) =>
      call(MergeRequestServiceService).getMergeRequestVersion({
        projectId: access.id,
        iid: path.merge_request_iid,
        versionId: path.version_id,
        unidiff: params.unidiff,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/participants`,
    summary: 'List participants of a merge request',
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    list: { orderBy: [] },
    returns: { 200: ['MergeRequestUser'] },
    handle: ({ path, access, page, call }) =>
      call(MergeRequestServiceService).listParticipants({ projectId: access.id, iid: path.merge_request_iid, page }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/reviewers`,
    summary: 'List reviewers of a merge request',
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    list: { orderBy: [] },
    returns: { 200: ['MergeRequestReviewer'] },
    handle: ({ path, access, page, call }) =>
      call(MergeRequestServiceService).listReviewers({ projectId: access.id, iid: path.merge_request_iid, page }),
  }),
  ...(['subscribe', 'unsubscribe'] as const).map((verb) =>
    defineRoute({
      method: 'post',
      path: `${onePath}/${verb}`,
      summary: verb === 'subscribe' ? 'Subscribe to a merge request' : 'Unsubscribe from a merge request',
      access: { project: 'update_merge_request' },
      path_params: mergeRequest,
      returns: { 201: 'MergeRequest', 304: undefined },
      handle: ({ path, access, call }) =>
        call(MergeRequestServiceService).setSubscription({
          projectId: access.id,
          iid: path.merge_request_iid,
          subscribed: verb === 'subscribe',
        }),
    }),
  ),
];
