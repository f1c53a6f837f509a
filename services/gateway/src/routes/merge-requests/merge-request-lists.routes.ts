import {
  MergeRequestDeployment,
  MergeRequestFilter,
  MergeRequestServiceService,
} from '@switchyard/protos/merge_requests/v1/merge_request';
import type { z } from 'zod';
import { mutuallyExclusive } from '../../http/check-parameters';
import {
  boolean,
  csvOrNoneAny,
  dateTime,
  hash,
  idOrNoneAny,
  idsOrNoneAny,
  integer,
  integers,
  oneOf,
  text,
  textOrNoneAny,
} from '../../http/params';
import { defineRoute } from '../../http/route';
import {
  sharedExclusion,
  sharedExclusions,
  sharedFilter,
  sharedFilters,
  sharedRules,
  titleFilter,
  userFilter,
  userNamed,
  usersFilter,
} from '../issuable-filters';
import { issuableLists } from '../issuable-lists';

const exclusions = {
  ...sharedExclusions,
  reviewer_id: idOrNoneAny().optional(),
  reviewer_username: textOrNoneAny().optional(),
  source_branch: text().optional(),
  target_branch: text().optional(),
  my_reaction_emoji: textOrNoneAny().optional(),
};

/** Most users of a filter on approvals (api.md 4.2). */
const maxApprovers = 5;

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
  ...sharedFilters,
  source_branch: text().optional(),
  target_branch: text().optional(),
  reviewer_id: idOrNoneAny().optional(),
  reviewer_username: textOrNoneAny().optional(),
  merge_user_id: integer().optional(),
  merge_user_username: text().optional(),
  wip: oneOf('yes', 'no').optional(),
  source_project_id: integer().optional(),
  not: hash(exclusions).optional(),
  approved: oneOf('yes', 'no').optional(),
  approved_by_ids: idsOrNoneAny(maxApprovers).optional(),
  approved_by_usernames: csvOrNoneAny(maxApprovers).optional(),
  approver_ids: idsOrNoneAny().optional(),
  deployed_after: dateTime().optional(),
  deployed_before: dateTime().optional(),
  environment: text().optional(),
  my_reaction_emoji: textOrNoneAny().optional(),
  view: oneOf('simple').optional(),
  with_labels_details: boolean().default(false),
  render_html: boolean().default(false),
  with_merge_status_recheck: boolean().default(false),
};

/** Filters of some of the lists. */
const more = { non_archived: boolean().default(true), iids: integers().optional() };

const listed = {
  ...sharedRules(
    mutuallyExclusive('reviewer_id', 'reviewer_username'),
    mutuallyExclusive('merge_user_id', 'merge_user_username'),
    mutuallyExclusive('approved_by_ids', 'approved_by_usernames'),
  ),
  list: {
    orderBy: [
      'created_at',
      'updated_at',
      'title',
      'merged_at',
      'popularity',
      'priority',
      'label_priority',
      'milestone_due',
    ],
    sort: 'desc',
  },
  returns: { 200: ['MergeRequestItem'] },
} as const;

type Values<T extends z.ZodRawShape> = z.infer<z.ZodObject<T>>;

const excluded = (not: Values<typeof exclusions>) => ({
  ...sharedExclusion(not),
  milestone: titleFilter(not.milestone),
  reviewer: userFilter(not.reviewer_id, not.reviewer_username),
  sourceBranch: not.source_branch ?? '',
  targetBranch: not.target_branch ?? '',
  reaction: titleFilter(not.my_reaction_emoji),
});

const filterOf = (params: Values<typeof filters>, scope: string | undefined) =>
  MergeRequestFilter.fromPartial({
    ...sharedFilter(params, scope),
    state: params.state === 'all' ? '' : params.state,
    sourceBranch: params.source_branch,
    targetBranch: params.target_branch,
    milestone: titleFilter(params.milestone),
    reviewer: userFilter(params.reviewer_id, params.reviewer_username),
    mergeUser: userNamed(params.merge_user_id, params.merge_user_username),
    approved: params.approved === undefined ? undefined : params.approved === 'yes',
    approvedBy: usersFilter(params.approved_by_ids, params.approved_by_usernames),
    approver: usersFilter(params.approver_ids, undefined),
    draft: params.wip === undefined ? undefined : params.wip === 'yes',
    sourceProjectId: params.source_project_id,
    reaction: titleFilter(params.my_reaction_emoji),
    not: params.not === undefined ? undefined : excluded(params.not),
    deployment: deploymentOf(params),
  });

/** What the deployment that brought a merge request in has to meet. */
const deploymentOf = ({ environment, deployed_after, deployed_before }: Values<typeof filters>) =>
  environment === undefined && deployed_after === undefined && deployed_before === undefined
    ? undefined
    : { environment, after: deployed_after, before: deployed_before };

/** What a list is asked for, but for what it is of and the page. */
const requestOf = (params: Values<typeof filters> & Partial<Values<typeof more>>, scope: string | undefined) => ({
  filter: { ...filterOf(params, scope), nonArchived: params.non_archived ?? false, iids: params.iids ?? [] },
  simple: params.view === 'simple',
  withLabelsDetails: params.with_labels_details,
  renderHtml: params.render_html,
  withMergeStatusRecheck: params.with_merge_status_recheck,
});

const lists = issuableLists({
  ...listed,
  section: 'Merge requests',
  read: 'read_merge_request',
  name: 'merge_requests',
  summary: 'List merge requests',
  filters,
  more,
  moreOf: { group: ['non_archived'], project: ['iids'] },
  answer: ({ params, scope, source, page, call }) =>
    call(MergeRequestServiceService).listMergeRequests({
      ...requestOf(params, scope),
      ...source,
      page,
    }),
});

/** What a deployment brought in, narrowed as the list of the project is (G §10). */
const listOfDeployment = defineRoute({
  method: 'get',
  path: '/projects/:id/deployments/:deployment_id/merge_requests',
  section: 'Deployments',
  summary: 'List merge requests of a deployment',
  docs: { description: 'Those that a successful deployment brought in.' },
  access: { project: 'read_merge_request' },
  path_params: { deployment_id: integer() },
  params: { ...filters, iids: more.iids },
  relations: listed.relations,
  limitWith: listed.limitWith,
  list: listed.list,
  returns: listed.returns,
  handle: ({ path, params, access, page, call }) => {
    const { filter, ...rest } = requestOf(params, params.scope);
    const deployment = MergeRequestDeployment.fromPartial({ ...filter.deployment, deploymentId: path.deployment_id });
    return call(MergeRequestServiceService).listMergeRequests({
      ...rest,
      projectId: access.id,
      groupId: 0,
      filter: { ...filter, deployment },
      page,
    });
  },
});

/** Lists of merge requests: of the instance, of a group, of a project, of a deployment (api.md 4.2, G-4.2-2). */
export const mergeRequestListRoutes = [...lists, listOfDeployment];
