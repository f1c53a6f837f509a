import { type Sql, sql } from '@switchyard/database';
import type { MergeRequestExclusion, MergeRequestFilter, TitleMatch, UserMatch } from '../domain/merge-request-filter';

/** A clause per filter: a field of `MergeRequestFilter` without one does not compile. Filters still to come get their line here. */
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

/** Whether a column holds one of the users. */
function columnIsOneOf(column: Sql, match: UserMatch): Sql {
  if (match === 'none') return sql`${column} is null`;
  if (match === 'any') return sql`${column} is not null`;
  return sql`${column} = ${oneOf(match)}`;
}

/** Whether a column holds all of the users: it holds one only, so several never match. */
const columnIs = (column: Sql, match: UserMatch): Sql[] =>
  typeof match !== 'string' && match.ids.length + lower(match.usernames).length > 1
    ? [sql`false`]
    : [columnIsOneOf(column, match)];

type People = 'merge_request_assignees' | 'merge_request_reviewers';
const people: Record<People, Sql> = {
  merge_request_assignees: sql`merge_request_assignees`,
  merge_request_reviewers: sql`merge_request_reviewers`,
};

const hasPerson = (table: People, condition: Sql): Sql =>
  sql`exists (select 1 from ${people[table]} pe where pe.merge_request_id = mr.id and ${condition})`;

function personIsOneOf(table: People, match: UserMatch): Sql {
  const some = hasPerson(table, sql`true`);
  if (match === 'none') return sql`not ${some}`;
  if (match === 'any') return some;
  return hasPerson(table, sql`pe.user_id = ${oneOf(match)}`);
}

/** Whether all of the users are among the people. */
function personIs(table: People, match: UserMatch): Sql[] {
  if (typeof match === 'string') return [personIsOneOf(table, match)];
  const wanted = match.ids.length + lower(match.usernames).length;
  if (wanted <= 1) return [personIsOneOf(table, match)];
  return [
    sql`(select count(*) from ${people[table]} pe where pe.merge_request_id = mr.id and pe.user_id = ${oneOf(match)}) = ${wanted}::int`,
  ];
}

const labelIds = (titles: readonly string[]): Sql =>
  sql`array(select l.id from directory.labels l where lower(l.title) = any(${lower(titles)}::text[]) and l.deleted_at is null)`;

const hasLabel = (condition: Sql): Sql =>
  sql`exists (select 1 from merge_request_labels ml where ml.merge_request_id = mr.id and ${condition})`;

const anyLabel = hasLabel(
  sql`exists (select 1 from directory.labels l where l.id = ml.label_id and l.deleted_at is null)`,
);

/** Labels each of which gets a clause of its own, which finds rare ones by index. */
const labelClauses = 8;

function labelledOneOf(match: TitleMatch): Sql {
  if (match === 'none') return sql`not ${anyLabel}`;
  if (match === 'any') return anyLabel;
  return hasLabel(sql`ml.label_id = any(${labelIds(match.titles)})`);
}

/** Whether all of the labels are there. */
function labelled(match: TitleMatch): Sql[] {
  if (typeof match === 'string') return [labelledOneOf(match)];
  const titles = lower(match.titles);
  if (titles.length <= labelClauses) return titles.map((title) => labelledOneOf({ titles: [title] }));
  return [
    sql`(select count(distinct lower(l.title)) from merge_request_labels ml join directory.labels l on l.id = ml.label_id
      where ml.merge_request_id = mr.id and l.deleted_at is null and lower(l.title) = any(${titles}::text[])) = ${titles.length}::int`,
  ];
}

const milestoneIds = (titles: readonly string[]): Sql =>
  sql`array(select ms.id from directory.milestones ms where lower(ms.title) = any(${lower(titles)}::text[]) and ms.deleted_at is null)`;

const liveMilestone = sql`exists (select 1 from directory.milestones ms where ms.id = mr.milestone_id and ms.deleted_at is null)`;

function inMilestone(match: TitleMatch): Sql {
  if (match === 'none') return sql`not ${liveMilestone}`;
  if (match === 'any') return liveMilestone;
  return sql`mr.milestone_id = any(${milestoneIds(match.titles)})`;
}

const pattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

function contains(word: string, { title, description }: { title: boolean; description: boolean }): Sql {
  const inTitle = sql`mr.title ilike ${pattern(word)}`;
  const inDescription = sql`mr.description ilike ${pattern(word)}`;
  return title && description ? sql`(${inTitle} or ${inDescription})` : title ? inTitle : inDescription;
}

const clauses: ClauseTable<MergeRequestFilter> = {
  state: (state) => [sql`mr.state = ${state}`],
  scope: (scope, viewerId) => [
    scope === 'created_by_me'
      ? sql`mr.author_id = ${viewerId}::bigint`
      : hasPerson(
          scope === 'assigned_to_me' ? 'merge_request_assignees' : 'merge_request_reviewers',
          sql`pe.user_id = ${viewerId}::bigint`,
        ),
  ],
  iids: (iids) => [sql`mr.iid = any(${[...iids]}::bigint[])`],
  sourceBranch: (branch) => [sql`mr.source_branch = ${branch}`],
  targetBranch: (branch) => [sql`mr.target_branch = ${branch}`],
  author: (match) => columnIs(sql`mr.author_id`, match),
  assignee: (match) => personIs('merge_request_assignees', match),
  reviewer: (match) => personIs('merge_request_reviewers', match),
  mergeUser: (match) => columnIs(sql`mr.merge_user_id`, match),
  labels: labelled,
  milestone: (match) => [inMilestone(match)],
  search: ({ words, ...where }) => words.map((word) => contains(word, where)),
  createdAfter: (date) => [sql`mr.created_at >= ${date}`],
  createdBefore: (date) => [sql`mr.created_at <= ${date}`],
  updatedAfter: (date) => [sql`mr.updated_at >= ${date}`],
  updatedBefore: (date) => [sql`mr.updated_at <= ${date}`],
  draft: (draft) => [sql`mr.draft = ${draft}`],
  sourceProjectId: (id) => [sql`mr.source_project_id = ${id}`],
  nonArchived: (only) => (only ? [sql`not p.archived`] : []),
  not: (not, viewerId) => clausesFor(exclusions, not, viewerId),
};

const none = (condition: Sql): Sql[] => [sql`(${condition}) is not true`];

// Excluding "all of these labels" would let one of them through: here each title excludes by itself.
const exclusions: ClauseTable<MergeRequestExclusion> = {
  labels: (match) => none(labelledOneOf(match)),
  milestone: (match) => none(inMilestone(match)),
  author: (match) => none(columnIsOneOf(sql`mr.author_id`, match)),
  assignee: (match) => none(personIsOneOf('merge_request_assignees', match)),
  reviewer: (match) => none(personIsOneOf('merge_request_reviewers', match)),
  sourceBranch: (branch) => [sql`mr.source_branch <> ${branch}`],
  targetBranch: (branch) => [sql`mr.target_branch <> ${branch}`],
};

function clausesFor<Filter extends object>(table: ClauseTable<Filter>, filter: Filter, viewerId: number): Sql[] {
  return (Object.keys(table) as (keyof Filter)[]).flatMap((field) => {
    const value = filter[field];
    return value === undefined ? [] : table[field](value as NonNullable<Filter[typeof field]>, viewerId);
  });
}

/** Conditions of a filter on the aliases of `mergeRequestFrom`; all must hold. */
export const whereOf = (filter: MergeRequestFilter, viewerId: number): Sql[] => clausesFor(clauses, filter, viewerId);
