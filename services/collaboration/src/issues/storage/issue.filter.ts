import { anyContains, type ClauseTable, clausesOf } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import {
  linkedLabels,
  linkedUsers,
  milestoneColumn,
  milestoneWhere,
  userColumn,
  type Viewer,
} from '@switchyard/directory';
import { epicOfIssue } from '../../epic-trees';
import type {
  DueMatch,
  HealthMatch,
  IssueExclusion,
  IssueFilter,
  MilestoneMatch,
  WeightMatch,
} from '../domain/issue-filter';
import { reactedWith } from './reaction.filter';

const own = sql`link.issue_id = i.id`;
const author = userColumn(sql`i.author_id`);
const assignees = linkedUsers({ table: sql`issue_assignees`, own });
const labels = linkedLabels({ table: sql`issue_labels`, own });
const milestone = sql`i.milestone_id`;

/** The next one that ends after today among the open milestones of its project or group. */
const upcoming = milestoneWhere(
  milestone,
  sql`ms.state = 'active' and ms.due_date > current_date and not exists (
  select 1 from directory.milestones sooner where sooner.deleted_at is null and sooner.state = 'active'
    and sooner.due_date > current_date and sooner.due_date < ms.due_date
    and (sooner.project_id = ms.project_id or sooner.namespace_id = ms.namespace_id))`,
);

const started = milestoneWhere(
  milestone,
  sql`ms.state = 'active' and ms.start_date <= current_date
  and (ms.due_date is null or ms.due_date >= current_date)`,
);

function inMilestone(match: MilestoneMatch): Sql {
  if (match === 'upcoming') return upcoming;
  return match === 'started' ? started : milestoneColumn(milestone, match);
}

function weighs(match: WeightMatch): Sql {
  if (match === 'none') return sql`i.weight is null`;
  return match === 'any' ? sql`i.weight is not null` : sql`i.weight = ${match}::int`;
}

function stands(match: HealthMatch): Sql {
  if (match === 'none') return sql`i.health_status is null`;
  return match === 'any' ? sql`i.health_status is not null` : sql`i.health_status = ${match}`;
}

const spans: Record<DueMatch, Sql> = {
  none: sql`i.due_date is null`,
  any: sql`i.due_date is not null`,
  today: sql`i.due_date = current_date`,
  tomorrow: sql`i.due_date = current_date + 1`,
  overdue: sql`i.due_date < current_date`,
  week: sql`i.due_date >= date_trunc('week', current_date)::date and i.due_date < date_trunc('week', current_date)::date + 7`,
  month: sql`i.due_date >= date_trunc('month', current_date)::date
    and i.due_date < (date_trunc('month', current_date) + interval '1 month')::date`,
  next_month_and_previous_two_weeks: sql`i.due_date >= current_date - 14
    and i.due_date < (date_trunc('month', current_date) + interval '2 months')::date`,
};

const clauses: ClauseTable<IssueFilter, Viewer> = {
  state: (state) => sql`i.state = ${state}`,
  scope: (scope, { userId }) =>
    scope === 'created_by_me' ? sql`i.author_id = ${userId}::bigint` : assignees.include(userId),
  iids: (iids) => sql`i.iid = any(${[...iids]}::bigint[])`,
  author: author.allOf,
  assignee: assignees.allOf,
  labels: labels.allOf,
  milestone: inMilestone,
  milestoneId: (id) => sql`i.milestone_id = ${id}`,
  search: ({ words, title, description }) => {
    const columns = [...(title ? [sql`i.title`] : []), ...(description ? [sql`i.description`] : [])];
    return words.map((word) => anyContains(columns, word));
  },
  confidential: (confidential) => sql`i.confidential = ${confidential}`,
  issueType: (type) => sql`i.issue_type = ${type}`,
  weight: weighs,
  healthStatus: stands,
  dueDate: (match) => spans[match],
  reaction: (match, { userId }) => reactedWith('Issue', sql`i.id`, match, userId),
  epic: (match, viewer) => epicOfIssue(sql`i.id`, match, viewer),
  createdAfter: (date) => sql`i.created_at >= ${date}`,
  createdBefore: (date) => sql`i.created_at <= ${date}`,
  updatedAfter: (date) => sql`i.updated_at >= ${date}`,
  updatedBefore: (date) => sql`i.updated_at <= ${date}`,
  nonArchived: (only) => (only ? [sql`not p.archived`] : []),
  not: (not, viewer) => clausesOf(exclusions, not, viewer),
};

const none = (condition: Sql): Sql => sql`(${condition}) is not true`;

// Excluding "all of these labels" would let one of them through: here each title excludes by itself.
const exclusions: ClauseTable<IssueExclusion, Viewer> = {
  labels: (match) => none(labels.oneOf(match)),
  milestone: (match) => none(inMilestone(match)),
  author: (match) => none(author.oneOf(match)),
  assignee: (match) => none(assignees.oneOf(match)),
  iids: (iids) => sql`i.iid <> all(${[...iids]}::bigint[])`,
  weight: (match) => none(weighs(match)),
  healthStatus: (match) => none(stands(match)),
  reaction: (match, { userId }) => none(reactedWith('Issue', sql`i.id`, match, userId)),
  epic: (match, viewer) => none(epicOfIssue(sql`i.id`, match, viewer)),
};

/** Conditions of a filter on the aliases of `issueFrom`; all must hold. */
export const issueConditions = (filter: IssueFilter, viewer: Viewer): Sql[] => clausesOf(clauses, filter, viewer);
