import { unauthorized } from '@switchyard/errors';
import {
  MergeRequestFilter,
  MergeRequestServiceService,
  TitleFilter_Kind,
  type UserFilter,
  UserFilter_Kind,
} from '@switchyard/protos/merge_requests/v1/merge_request';
import type { z } from 'zod';
import { mutuallyExclusive } from '../../http/check-parameters';
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
  oneOf,
  text,
  textOrNoneAny,
} from '../../http/params';
import { defineRoute } from '../../http/route';

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

/** Lists of merge requests: global, of a group, of a project (api.md 4.2, G-4.2-2). */
export const mergeRequestListRoutes = [
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
    path: '/projects/:id/merge_requests',
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
];
