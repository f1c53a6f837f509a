import { type Sql, sql } from '@switchyard/database';
import type {
  DueMatch,
  IssueExclusion,
  IssueFilter,
  MilestoneMatch,
  ReactionMatch,
  TitleMatch,
  UserMatch,
  WeightMatch,
} from '../domain/issue-filter';

/** A clause per filter: a field of `IssueFilter` without one does not compile. */
type ClauseTable<Filter> = {
  [F in keyof Required<Filter>]: (value: NonNullable<Filter[F]>, viewerId: number) => Sql[];
};

const lower = (texts: readonly string[]): string[] => [...new Set(texts.map((text) => text.toLowerCase()))];

/** Ids of users by name, in any case; read once per statement. */
const idsOf = (usernames: readonly string[]): Sql =>
  sql`array(select u.id from directory.users u where lower(u.username) = any(${lower(usernames)}::text[]) and u.deleted_at is null)`;

// However many names a filter lists, it is one clause: a clause for each has the planner at work for minutes at three hundred.

/** Users by id or by name, read once per statement. */
const oneOf = ({ ids, usernames }: Exclude<UserMatch, string>): Sql =>
  sql`any(${[...ids]}::bigint[] || ${idsOf(usernames)})`;

const wantedOf = ({ ids, usernames }: Exclude<UserMatch, string>): number => ids.length + lower(usernames).length;

function authorIsOneOf(match: UserMatch): Sql {
  if (match === 'none') return sql`false`;
  return match === 'any' ? sql`true` : sql`i.author_id = ${oneOf(match)}`;
}

/** There is one author, so several never match. */
const authorIs = (match: UserMatch): Sql[] =>
  typeof match !== 'string' && wantedOf(match) > 1 ? [sql`false`] : [authorIsOneOf(match)];

const hasAssignee = (condition: Sql): Sql =>
  sql`exists (select 1 from issue_assignees ia where ia.issue_id = i.id and ${condition})`;

function assigneeIsOneOf(match: UserMatch): Sql {
  if (match === 'none') return sql`not ${hasAssignee(sql`true`)}`;
  return hasAssignee(match === 'any' ? sql`true` : sql`ia.user_id = ${oneOf(match)}`);
}

/** Whether all of the users are assigned. */
function assigneesAre(match: UserMatch): Sql[] {
  if (typeof match === 'string' || wantedOf(match) <= 1) return [assigneeIsOneOf(match)];
  return [
    sql`(select count(*) from issue_assignees ia where ia.issue_id = i.id and ia.user_id = ${oneOf(match)}) = ${wantedOf(match)}::int`,
  ];
}

const labelIds = (titles: readonly string[]): Sql =>
  sql`array(select l.id from directory.labels l where lower(l.title) = any(${lower(titles)}::text[]) and l.deleted_at is null)`;

const hasLabel = (condition: Sql): Sql =>
  sql`exists (select 1 from issue_labels il where il.issue_id = i.id and ${condition})`;

const anyLabel = hasLabel(
  sql`exists (select 1 from directory.labels l where l.id = il.label_id and l.deleted_at is null)`,
);

/** Labels each of which gets a clause of its own, which finds rare ones by index. */
const labelClauses = 8;

function labelledOneOf(match: TitleMatch): Sql {
  if (match === 'none') return sql`not ${anyLabel}`;
  if (match === 'any') return anyLabel;
  return hasLabel(sql`il.label_id = any(${labelIds(match.titles)})`);
}

/** Whether all of the labels are there. */
function labelled(match: TitleMatch): Sql[] {
  if (typeof match === 'string') return [labelledOneOf(match)];
  const titles = lower(match.titles);
  if (titles.length <= labelClauses) return titles.map((title) => labelledOneOf({ titles: [title] }));
  return [
    sql`(select count(distinct lower(l.title)) from issue_labels il join directory.labels l on l.id = il.label_id
      where il.issue_id = i.id and l.deleted_at is null and lower(l.title) = any(${titles}::text[])) = ${titles.length}::int`,
  ];
}

const milestoneWhere = (condition: Sql): Sql =>
  sql`exists (select 1 from directory.milestones ms where ms.id = i.milestone_id and ms.deleted_at is null and ${condition})`;

/** The next one that ends after today among the open milestones of its project or group. */
const upcoming = milestoneWhere(sql`ms.state = 'active' and ms.due_date > current_date and not exists (
  select 1 from directory.milestones sooner where sooner.deleted_at is null and sooner.state = 'active'
    and sooner.due_date > current_date and sooner.due_date < ms.due_date
    and (sooner.project_id = ms.project_id or sooner.namespace_id = ms.namespace_id))`);

const started = milestoneWhere(sql`ms.state = 'active' and ms.start_date <= current_date
  and (ms.due_date is null or ms.due_date >= current_date)`);

function inMilestone(match: MilestoneMatch): Sql {
  if (match === 'none') return sql`not ${milestoneWhere(sql`true`)}`;
  if (match === 'any') return milestoneWhere(sql`true`);
  if (match === 'upcoming') return upcoming;
  if (match === 'started') return started;
  return sql`i.milestone_id = any(array(select ms.id from directory.milestones ms
    where lower(ms.title) = any(${lower(match.titles)}::text[]) and ms.deleted_at is null))`;
}

function weighs(match: WeightMatch): Sql {
  if (match === 'none') return sql`i.weight is null`;
  return match === 'any' ? sql`i.weight is not null` : sql`i.weight = ${match}::int`;
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

function reactedWith(match: ReactionMatch, viewerId: number): Sql {
  const reacted = (condition: Sql): Sql => sql`exists (select 1 from award_emoji ae
    where ae.awardable_type = 'Issue' and ae.awardable_id = i.id and ae.user_id = ${viewerId}::bigint and ${condition})`;
  if (match === 'none') return sql`not ${reacted(sql`true`)}`;
  return reacted(match === 'any' ? sql`true` : sql`ae.name = ${match.name}`);
}

const pattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

function contains(word: string, { title, description }: { title: boolean; description: boolean }): Sql {
  const inTitle = sql`i.title ilike ${pattern(word)}`;
  const inDescription = sql`i.description ilike ${pattern(word)}`;
  return title && description ? sql`(${inTitle} or ${inDescription})` : title ? inTitle : inDescription;
}

const clauses: ClauseTable<IssueFilter> = {
  state: (state) => [sql`i.state = ${state}`],
  scope: (scope, viewerId) => [
    scope === 'created_by_me'
      ? sql`i.author_id = ${viewerId}::bigint`
      : hasAssignee(sql`ia.user_id = ${viewerId}::bigint`),
  ],
  iids: (iids) => [sql`i.iid = any(${[...iids]}::bigint[])`],
  author: authorIs,
  assignee: assigneesAre,
  labels: labelled,
  milestone: (match) => [inMilestone(match)],
  search: ({ words, ...where }) => words.map((word) => contains(word, where)),
  confidential: (confidential) => [sql`i.confidential = ${confidential}`],
  issueType: (type) => [sql`i.issue_type = ${type}`],
  weight: (match) => [weighs(match)],
  dueDate: (match) => [spans[match]],
  reaction: (match, viewerId) => [reactedWith(match, viewerId)],
  createdAfter: (date) => [sql`i.created_at >= ${date}`],
  createdBefore: (date) => [sql`i.created_at <= ${date}`],
  updatedAfter: (date) => [sql`i.updated_at >= ${date}`],
  updatedBefore: (date) => [sql`i.updated_at <= ${date}`],
  nonArchived: (only) => (only ? [sql`not p.archived`] : []),
  not: (not, viewerId) => clausesFor(exclusions, not, viewerId),
};

const none = (condition: Sql): Sql[] => [sql`(${condition}) is not true`];

// Excluding "all of these labels" would let one of them through: here each title excludes by itself.
const exclusions: ClauseTable<IssueExclusion> = {
  labels: (match) => none(labelledOneOf(match)),
  milestone: (match) => none(inMilestone(match)),
  author: (match) => none(authorIsOneOf(match)),
  assignee: (match) => none(assigneeIsOneOf(match)),
  iids: (iids) => [sql`i.iid <> all(${[...iids]}::bigint[])`],
  weight: (match) => none(weighs(match)),
  reaction: (match, viewerId) => none(reactedWith(match, viewerId)),
};

function clausesFor<Filter extends object>(table: ClauseTable<Filter>, filter: Filter, viewerId: number): Sql[] {
  return (Object.keys(table) as (keyof Filter)[]).flatMap((field) => {
    const value = filter[field];
    return value === undefined ? [] : table[field](value as NonNullable<Filter[typeof field]>, viewerId);
  });
}

/** Conditions of a filter on the aliases of `issueFrom`; all must hold. */
export const issueConditions = (filter: IssueFilter, viewerId: number): Sql[] => clausesFor(clauses, filter, viewerId);
