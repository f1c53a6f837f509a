import { unauthorized } from '@switchyard/errors';
import {
  IssueFilter,
  IssueServiceService,
  type IssueTitleFilter,
  IssueTitleFilter_Kind,
  type IssueUserFilter,
  IssueUserFilter_Kind,
} from '@switchyard/protos/collaboration/v1/issue';
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
  integerOrNoneAny,
  integers,
  manyOf,
  oneOf,
  text,
  textOrNoneAny,
} from '../../http/params';
import { defineRoute } from '../../http/route';

const milestones = ['None', 'Any', 'Upcoming', 'Started', 'none', 'any', 'upcoming', 'started'] as const;

const exclusions = {
  labels: csvOrNoneAny().optional(),
  milestone: textOrNoneAny().optional(),
  milestone_id: oneOf(...milestones).optional(),
  author_id: integer().optional(),
  author_username: csv().optional(),
  assignee_id: idOrNoneAny().optional(),
  assignee_username: csv().optional(),
  iids: integers().optional(),
  weight: integerOrNoneAny({ min: 0, max: 2_147_483_647 }).optional(),
  my_reaction_emoji: textOrNoneAny().optional(),
};

const counted = {
  scope: oneOf('created_by_me', 'created-by-me', 'assigned_to_me', 'assigned-to-me', 'all').optional(),
  labels: csvOrNoneAny().optional(),
  milestone: textOrNoneAny().optional(),
  milestone_id: oneOf(...milestones).optional(),
  author_id: integer().optional(),
  author_username: text().optional(),
  assignee_id: idOrNoneAny().optional(),
  assignee_username: csv().optional(),
  my_reaction_emoji: textOrNoneAny().optional(),
  iids: integers().optional(),
  search: text().optional(),
  in: manyOf('title', 'description').optional(),
  created_after: dateTime().optional(),
  created_before: dateTime().optional(),
  updated_after: dateTime().optional(),
  updated_before: dateTime().optional(),
  confidential: boolean().optional(),
  not: hash(exclusions).optional(),
};

const filters = {
  ...counted,
  state: oneOf('opened', 'closed', 'all').default('all'),
  issue_type: oneOf('issue', 'incident', 'task').optional(),
  weight: integerOrNoneAny({ min: 0, max: 2_147_483_647 }).optional(),
  due_date: oneOf(
    '0',
    'none',
    'any',
    'today',
    'tomorrow',
    'overdue',
    'week',
    'month',
    'next_month_and_previous_two_weeks',
    '',
  ).optional(),
  with_labels_details: boolean().default(false),
};

const exclusive = [
  mutuallyExclusive('author_id', 'author_username'),
  mutuallyExclusive('assignee_id', 'assignee_username'),
  mutuallyExclusive('milestone', 'milestone_id'),
];

const list = {
  orderBy: [
    'created_at',
    'updated_at',
    'priority',
    'due_date',
    'relative_position',
    'label_priority',
    'milestone_due',
    'popularity',
    'weight',
    'title',
  ],
  sort: 'desc',
} as const;

type Values<T extends z.ZodRawShape> = z.infer<z.ZodObject<T>>;

const noUsers: IssueUserFilter = { kind: IssueUserFilter_Kind.KIND_UNSPECIFIED, ids: [], usernames: [] };

const users = (id: number | 'None' | 'Any' | undefined, names: readonly string[] | undefined): IssueUserFilter => {
  if (id === 'None') return { ...noUsers, kind: IssueUserFilter_Kind.KIND_NONE };
  if (id === 'Any') return { ...noUsers, kind: IssueUserFilter_Kind.KIND_ANY };
  const usernames = (names ?? []).filter((name) => name !== '');
  if (id === undefined && usernames.length === 0) return noUsers;
  return { kind: IssueUserFilter_Kind.KIND_USERS, ids: id === undefined ? [] : [id], usernames };
};

const words: Readonly<Record<string, IssueTitleFilter['kind']>> = {
  none: IssueTitleFilter_Kind.KIND_NONE,
  any: IssueTitleFilter_Kind.KIND_ANY,
  upcoming: IssueTitleFilter_Kind.KIND_UPCOMING,
  started: IssueTitleFilter_Kind.KIND_STARTED,
};

const titles = (given: readonly string[] | string | undefined): IssueTitleFilter => {
  if (given === 'None' || given === 'Any') return { kind: words[given.toLowerCase()] as never, titles: [] };
  const all = typeof given === 'string' ? [given] : [...(given ?? [])];
  const wanted = all.filter((title) => title !== '');
  return {
    kind: wanted.length === 0 ? IssueTitleFilter_Kind.KIND_UNSPECIFIED : IssueTitleFilter_Kind.KIND_TITLES,
    titles: wanted,
  };
};

/** A milestone by title, or by one of the words; `#upcoming` and `#started` are how titles say them. */
const milestone = (title: string | undefined, word: string | undefined): IssueTitleFilter => {
  const said = word ?? (title === '#upcoming' || title === '#started' ? title.slice(1) : undefined);
  return said === undefined ? titles(title) : { kind: words[said.toLowerCase()] as never, titles: [] };
};

const weight = (given: number | 'None' | 'Any' | undefined) =>
  given === undefined
    ? undefined
    : { none: given === 'None', any: given === 'Any', weight: typeof given === 'number' ? given : 0 };

const excluded = (not: Values<typeof exclusions>) => ({
  labels: titles(not.labels),
  milestone: milestone(not.milestone, not.milestone_id),
  author: users(not.author_id, not.author_username),
  assignee: users(not.assignee_id, not.assignee_username),
  iids: not.iids ?? [],
  weight: weight(not.weight),
  reaction: titles(not.my_reaction_emoji),
});

function countedFilter(params: Values<typeof counted>, scope: string | undefined) {
  const fields = params.in === undefined || params.in.length === 0 ? ['title', 'description'] : params.in;
  return IssueFilter.fromPartial({
    scope: scope === undefined || scope === 'all' ? '' : scope.replaceAll('-', '_'),
    iids: params.iids,
    author: users(params.author_id, params.author_username === undefined ? undefined : [params.author_username]),
    assignee: users(params.assignee_id, params.assignee_username),
    labels: titles(params.labels),
    milestone: milestone(params.milestone, params.milestone_id),
    reaction: titles(params.my_reaction_emoji),
    search: params.search,
    searchTitle: fields.includes('title'),
    searchDescription: fields.includes('description'),
    confidential: params.confidential,
    createdAfter: params.created_after,
    createdBefore: params.created_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
    not: params.not === undefined ? undefined : excluded(params.not),
  });
}

const filterOf = (params: Values<typeof filters>, scope: string | undefined): IssueFilter => ({
  ...countedFilter(params, scope),
  state: params.state === 'all' ? '' : params.state,
  issueType: params.issue_type ?? '',
  weight: weight(params.weight),
  dueDate: params.due_date === '0' ? 'none' : (params.due_date ?? ''),
});

/** The scope of a list over the whole instance: one's own by default, and `all` alone without a token. */
function globalScope(scope: string | undefined, userId: number): string {
  const wanted = scope ?? 'created_by_me';
  if (userId === 0 && wanted !== 'all') throw unauthorized();
  return wanted;
}

/** Lists of issues: global, of a group, of a project (G §10 Issues). */
export const issueListRoutes = [
  defineRoute({
    method: 'get',
    path: '/issues',
    summary: 'List issues',
    access: 'public',
    params: { ...filters, non_archived: boolean().default(true) },
    relations: exclusive,
    limitWith: { parameter: 'search', limit: 'search' },
    list,
    returns: { 200: ['IssueListed'] },
    handle: async ({ params, actor, page, call }) =>
      call(IssueServiceService).listIssues({
        projectId: 0,
        groupId: 0,
        filter: { ...filterOf(params, globalScope(params.scope, actor.userId)), nonArchived: params.non_archived },
        page,
        withLabelsDetails: params.with_labels_details,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/issues',
    summary: 'List issues of a group',
    access: { group: 'read_group' },
    params: { ...filters, non_archived: boolean().default(true) },
    relations: exclusive,
    limitWith: { parameter: 'search', limit: 'search' },
    list,
    returns: { 200: ['IssueListed'] },
    handle: ({ params, access, page, call }) =>
      call(IssueServiceService).listIssues({
        projectId: 0,
        groupId: access.id,
        filter: { ...filterOf(params, params.scope), nonArchived: params.non_archived },
        page,
        withLabelsDetails: params.with_labels_details,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/issues',
    summary: 'List issues of a project',
    access: { project: 'read_issue' },
    params: filters,
    relations: exclusive,
    limitWith: { parameter: 'search', limit: 'search' },
    list,
    returns: { 200: ['IssueListed'] },
    handle: ({ params, access, page, call }) =>
      call(IssueServiceService).listIssues({
        projectId: access.id,
        groupId: 0,
        filter: filterOf(params, params.scope),
        page,
        withLabelsDetails: params.with_labels_details,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/issues_statistics',
    summary: 'Count issues',
    access: 'public',
    params: counted,
    relations: exclusive,
    limitWith: { parameter: 'search', limit: 'search' },
    returns: { 200: 'IssuesStatistics' },
    handle: async ({ params, actor, call }) =>
      call(IssueServiceService).getIssuesStatistics({
        projectId: 0,
        groupId: 0,
        filter: countedFilter(params, globalScope(params.scope, actor.userId)),
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/groups/:id/issues_statistics',
    summary: 'Count issues of a group',
    access: { group: 'read_group' },
    params: counted,
    relations: exclusive,
    limitWith: { parameter: 'search', limit: 'search' },
    returns: { 200: 'IssuesStatistics' },
    handle: ({ params, access, call }) =>
      call(IssueServiceService).getIssuesStatistics({
        projectId: 0,
        groupId: access.id,
        filter: countedFilter(params, params.scope),
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/issues_statistics',
    summary: 'Count issues of a project',
    access: { project: 'read_issue' },
    params: counted,
    relations: exclusive,
    limitWith: { parameter: 'search', limit: 'search' },
    returns: { 200: 'IssuesStatistics' },
    handle: ({ params, access, call }) =>
      call(IssueServiceService).getIssuesStatistics({
        projectId: access.id,
        groupId: 0,
        filter: countedFilter(params, params.scope),
      }),
  }),
];
