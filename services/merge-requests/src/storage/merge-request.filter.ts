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

/** Whether a column holds one of the users; with several it can hold one only, so nothing matches (they are ANDed). */
function columnIs(column: Sql, match: UserMatch): Sql[] {
  if (match === 'none') return [sql`${column} is null`];
  if (match === 'any') return [sql`${column} is not null`];
  return [
    ...match.ids.map((id) => sql`${column} = ${id}::bigint`),
    ...match.usernames.map((name) => sql`${column} = any(${idsOf([name])})`),
  ];
}

type People = 'merge_request_assignees' | 'merge_request_reviewers';
const people: Record<People, Sql> = {
  merge_request_assignees: sql`merge_request_assignees`,
  merge_request_reviewers: sql`merge_request_reviewers`,
};

const hasPerson = (table: People, condition: Sql): Sql =>
  sql`exists (select 1 from ${people[table]} pe where pe.merge_request_id = mr.id and ${condition})`;

function personIs(table: People, match: UserMatch): Sql[] {
  const some = hasPerson(table, sql`true`);
  if (match === 'none') return [sql`not ${some}`];
  if (match === 'any') return [some];
  return [
    ...match.ids.map((id) => hasPerson(table, sql`pe.user_id = ${id}::bigint`)),
    ...match.usernames.map((name) => hasPerson(table, sql`pe.user_id = any(${idsOf([name])})`)),
  ];
}

const labelIds = (titles: readonly string[]): Sql =>
  sql`array(select l.id from directory.labels l where lower(l.title) = any(${lower(titles)}::text[]) and l.deleted_at is null)`;

const hasLabel = (condition: Sql): Sql =>
  sql`exists (select 1 from merge_request_labels ml where ml.merge_request_id = mr.id and ${condition})`;

const anyLabel = hasLabel(
  sql`exists (select 1 from directory.labels l where l.id = ml.label_id and l.deleted_at is null)`,
);

const labelled = (match: TitleMatch): Sql[] => {
  if (match === 'none') return [sql`not ${anyLabel}`];
  if (match === 'any') return [anyLabel];
  return match.titles.map((title) => hasLabel(sql`ml.label_id = any(${labelIds([title])})`));
};

const milestoneIds = (titles: readonly string[]): Sql =>
  sql`array(select ms.id from directory.milestones ms where lower(ms.title) = any(${lower(titles)}::text[]) and ms.deleted_at is null)`;

const liveMilestone = sql`exists (select 1 from directory.milestones ms where ms.id = mr.milestone_id and ms.deleted_at is null)`;

const inMilestone = (match: TitleMatch): Sql[] => {
  if (match === 'none') return [sql`not ${liveMilestone}`];
  if (match === 'any') return [liveMilestone];
  return match.titles.map((title) => sql`mr.milestone_id = any(${milestoneIds([title])})`);
};

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
  milestone: inMilestone,
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

const none = (conditions: Sql[]): Sql[] => conditions.map((condition) => sql`(${condition}) is not true`);

// Excluding "all of these labels" would let one of them through: here each title excludes by itself.
const exclusions: ClauseTable<MergeRequestExclusion> = {
  labels: (match) => none(labelled(match)),
  milestone: (match) => none(inMilestone(match)),
  author: (match) => none(columnIs(sql`mr.author_id`, match)),
  assignee: (match) => none(personIs('merge_request_assignees', match)),
  reviewer: (match) => none(personIs('merge_request_reviewers', match)),
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
