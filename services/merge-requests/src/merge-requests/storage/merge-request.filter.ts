import { anyContains, type ClauseTable, clausesOf } from '@switchyard/database';
import { join, type Sql, sql } from '@switchyard/database/sql';
import { eachUser, linkedLabels, linkedUsers, milestoneColumn, userColumn } from '@switchyard/directory';
import type {
  DeploymentMatch,
  MergeRequestExclusion,
  MergeRequestFilter,
  ReactionMatch,
  UserMatch,
} from '../domain/merge-request-filter';

const own = sql`link.merge_request_id = mr.id`;
const author = userColumn(sql`mr.author_id`);
const mergeUser = userColumn(sql`mr.merge_user_id`);
const assignees = linkedUsers({ table: sql`merge_request_assignees`, own });
const reviewers = linkedUsers({ table: sql`merge_request_reviewers`, own });
const approvers = linkedUsers({ table: sql`merge_request_approvals`, own });
// The rules of a merge request stand in place of those of its project. No `exists` here: PostgreSQL may answer one by
// reading the whole of its table once.
const ownRules = sql`(not p.disable_overriding_approvers_per_merge_request
  and (select true from approval_rules r where r.merge_request_id = mr.id limit 1) is true)`;
const namedByRules = (user: Sql): Sql => {
  const named = (owner: Sql): Sql => sql`(select true from approval_rule_users link
    where link.project_id = mr.project_id and ${owner} and ${user} limit 1) is true`;
  return sql`case when ${ownRules} then ${named(sql`link.merge_request_id = mr.id`)}
    else ${named(sql`link.merge_request_id is null`)} end`;
};

/** Users each of whom gets a clause of its own; of more, those that are named are counted. */
const approverClauses = 8;

function approver(match: UserMatch): Sql[] {
  if (typeof match === 'string') {
    const some = namedByRules(sql`true`);
    return [match === 'any' ? some : sql`not ${some}`];
  }
  const users = eachUser(match);
  if (users.length <= approverClauses) return users.map((user) => namedByRules(sql`link.user_id = ${user}`));
  return linkedUsers({
    table: sql`approval_rule_users`,
    own: sql`link.project_id = mr.project_id
      and link.merge_request_id is not distinct from case when ${ownRules} then mr.id end`,
  }).allOf(match);
}

const labels = linkedLabels({ table: sql`merge_request_labels`, own });
const milestone = sql`mr.milestone_id`;

function reactedWith(match: ReactionMatch, viewerId: number): Sql {
  if (match === 'none') return sql`not ${reactedWith('any', viewerId)}`;
  return sql`exists (select 1 from merge_request_reactions reaction
    where reaction.merge_request_id = mr.id and reaction.user_id = ${viewerId}::bigint and reaction.given
      and ${match === 'any' ? sql`true` : sql`reaction.name = ${match.name}`})`;
}

/** Ids of those with a commit: one of their own, or what they landed as. */
export const withCommit = (sha: string): Sql => sql`
    select d.merge_request_id as id from merge_request_diffs d join merge_requests own on own.latest_diff_id = d.id
      where d.commit_shas @> array[${sha}]::text[]
    union all select id from merge_requests where merge_commit_sha = ${sha}
    union all select id from merge_requests where squash_commit_sha = ${sha}`;

const clauses: ClauseTable<MergeRequestFilter, number> = {
  state: (state) => sql`mr.state = ${state}`,
  scope: (scope, viewerId) => {
    if (scope === 'created_by_me') return sql`mr.author_id = ${viewerId}::bigint`;
    return (scope === 'assigned_to_me' ? assignees : reviewers).include(viewerId);
  },
  iids: (iids) => sql`mr.iid = any(${[...iids]}::bigint[])`,
  sourceBranch: (branch) => sql`mr.source_branch = ${branch}`,
  targetBranch: (branch) => sql`mr.target_branch = ${branch}`,
  author: author.allOf,
  assignee: assignees.allOf,
  reviewer: reviewers.allOf,
  mergeUser: mergeUser.allOf,
  approved: (approved) => sql`mr.approved = ${approved}`,
  approvedBy: (match) => (typeof match === 'string' ? sql`mr.approved = ${match === 'any'}` : approvers.allOf(match)),
  approver,
  labels: labels.allOf,
  milestone: (match) => milestoneColumn(milestone, match),
  milestoneId: (id) => sql`mr.milestone_id = ${id}`,
  search: ({ words, title, description }) => {
    const columns = [...(title ? [sql`mr.title`] : []), ...(description ? [sql`mr.description`] : [])];
    return words.map((word) => anyContains(columns, word));
  },
  createdAfter: (date) => sql`mr.created_at >= ${date}`,
  createdBefore: (date) => sql`mr.created_at <= ${date}`,
  updatedAfter: (date) => sql`mr.updated_at >= ${date}`,
  updatedBefore: (date) => sql`mr.updated_at <= ${date}`,
  draft: (draft) => sql`mr.draft = ${draft}`,
  sourceProjectId: (id) => sql`mr.source_project_id = ${id}`,
  reaction: reactedWith,
  nonArchived: (only) => (only ? [sql`not p.archived`] : []),
  commit: (sha) => sql`mr.id in (${withCommit(sha)})`,
  not: (not, viewerId) => clausesOf(exclusions, not, viewerId),
  // What one deployment brought in is read first: the planner would look for it along the order of the list.
  deployment: (match) => {
    const those = sql`select dm.merge_request_id from deployment_merge_requests dm
      where ${join(deploymentLinks(sql`dm`, match), ' and ')}`;
    return match.id === undefined
      ? sql`exists (${those} and dm.merge_request_id = mr.id)`
      : sql`mr.id = any(array(${those}))`;
  },
};

const deployments: ClauseTable<DeploymentMatch, Sql> = {
  environment: (name, link) => sql`${link}.environment = ${name}`,
  after: (date, link) => sql`${link}.finished_at > ${date}`,
  before: (date, link) => sql`${link}.finished_at < ${date}`,
  id: (id, link) => sql`${link}.deployment_id = ${id}`,
};

/** Conditions on a row of `deployment_merge_requests`; all must hold. */
export const deploymentLinks = (link: Sql, match: DeploymentMatch): Sql[] => clausesOf(deployments, match, link);

// Excluding "all of these labels" would let one of them through: here each title excludes by itself.
const exclusions: ClauseTable<MergeRequestExclusion, number> = {
  labels: (match) => labels.noneOf(match),
  milestone: (match) => sql`(${milestoneColumn(milestone, match)}) is not true`,
  author: (match) => author.noneOf(match),
  assignee: (match) => assignees.noneOf(match),
  reviewer: (match) => reviewers.noneOf(match),
  sourceBranch: (branch) => sql`mr.source_branch <> ${branch}`,
  targetBranch: (branch) => sql`mr.target_branch <> ${branch}`,
  reaction: (match, viewerId) =>
    match === 'none' ? reactedWith('any', viewerId) : sql`not ${reactedWith(match, viewerId)}`,
};

/** Conditions of a filter on the aliases of `mergeRequestFrom`; all must hold. */
export const whereOf = (filter: MergeRequestFilter, viewerId: number): Sql[] => clausesOf(clauses, filter, viewerId);
