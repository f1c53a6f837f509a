import { empty, join, type Sql, sql } from '@switchyard/database/sql';
import { authorIds, eachUser, labelIds, milestoneIds } from '@switchyard/directory';
import type { MergeRequestExclusion, ReactionMatch, TitleMatch, UserMatch } from '../domain/merge-request-filter';
import {
  type Beginning,
  exactly,
  inProject,
  linksOf,
  type MergeRequestScope,
  once,
  outsideOf,
  projectOf,
  walked,
  withoutLink,
} from './merge-request.beginning-parts';

/** Most users or labels of one filter whose rows are each begun at: an approval may be asked of five. */
const maxBegun = 5;

/** Conditions on a link, one for each user that is named. */
export const eachNamed = (match: UserMatch): Sql[] =>
  typeof match === 'string'
    ? []
    : eachUser(match)
        .slice(0, maxBegun)
        .map((user) => sql`link.user_id = ${user}`);

/** Several users match no column of one user: that is known without beginning anywhere. */
const isOne = (match: UserMatch): boolean => typeof match !== 'string' && eachUser(match).length === 1;

/** By a column that holds a user, as authors are matched. */
export function byUser(column: Sql) {
  return (match: UserMatch, scope: MergeRequestScope): Beginning => {
    if (typeof match === 'string' || !isOne(match)) return walked;
    const named = sql`${column} = any(${authorIds(match)})`;
    const project = projectOf(scope);
    return project === undefined
      ? { at: [sql`select mr.id from merge_requests mr where ${named}`] }
      : exactly(inProject(project, named));
  };
}

/** By links to users: assignees and reviewers. */
export function byLinkedUsers(table: Sql) {
  return (match: UserMatch, scope: MergeRequestScope): Beginning => {
    if (typeof match !== 'string') {
      const at = eachNamed(match).map((user) => linksOf(table, user, scope));
      return { at, exact: isOne(match) ? once(at[0]!) : undefined };
    }
    const project = projectOf(scope);
    if (project === undefined) return walked;
    if (match === 'none') return withoutLink(project, table, sql`true`);
    const those = linksOf(table, sql`true`, scope);
    return { at: [those], exact: once(those) };
  };
}

/** Ids in a column of a project; one look into its index for each. */
const usedIn = (project: number, table: Sql, column: Sql): Sql => sql`(
  with recursive used (id) as (
    (select min(${column}) from ${table} where project_id = ${project})
    union all
    select (select min(${column}) from ${table} where project_id = ${project} and ${column} > used.id)
    from used where used.id is not null)
  select used.id from used where used.id is not null) used`;

/** Milestones that merge requests of a project name, the deleted ones or the others. */
const milestonesIn = (project: number, deleted: boolean): Sql => sql`array(
  select used.id from ${usedIn(project, sql`merge_requests`, sql`milestone_id`)} where ${deleted ? sql`not` : empty} exists (
    select from directory.milestones ms where ms.id = used.id and ms.deleted_at is null))`;

/** By milestone. */
export function byMilestone(match: TitleMatch, scope: MergeRequestScope): Beginning {
  const project = projectOf(scope);
  if (typeof match !== 'string') {
    const titled = sql`mr.milestone_id = any(${milestoneIds(match.titles)})`;
    return project === undefined
      ? { at: [sql`select mr.id from merge_requests mr where ${titled}`] }
      : exactly(inProject(project, titled));
  }
  if (project === undefined) return walked;
  const those = inProject(project, sql`mr.milestone_id = any(${milestonesIn(project, match === 'none')})`);
  return exactly(match === 'any' ? those : sql`${those} union all ${inProject(project, sql`mr.milestone_id is null`)}`);
}

const labelLinks = sql`merge_request_labels`;

/** A link to a label that is not deleted; those of deleted ones stay. */
const anyLabel = (project: number): Sql => sql`link.label_id = any(array(
  select used.id from ${usedIn(project, labelLinks, sql`label_id`)}
  join directory.labels l on l.id = used.id and l.deleted_at is null))`;

/** Labels of excluded titles, of a project and the groups above it, whose links are looked at. */
const excludedLabels = 3;

/** Those of a project without some labels of these titles; others may be among them, as for every beginning. */
function withoutTitles(project: number, titles: readonly string[]): Beginning {
  const ids = sql`(array(
    select l.id from directory.labels l where l.id = any(${labelIds(titles)}) and (l.project_id = ${project}
      or l.namespace_id = any((select n.ancestry from directory.projects p
        join directory.namespaces n on n.id = p.namespace_id where p.id = ${project})::bigint[]))
    order by l.id limit ${excludedLabels}::int))`;
  const each = Array.from({ length: excludedLabels }, (_, at) => sql`link.label_id = ${ids}[${at + 1}::int]`);
  return withoutLink(project, labelLinks, ...each);
}

/** By labels. */
export function byLabels(match: TitleMatch, scope: MergeRequestScope): Beginning {
  const table = labelLinks;
  if (match === 'none') {
    const project = projectOf(scope);
    return project === undefined ? walked : withoutLink(project, table, anyLabel(project));
  }
  if (match === 'any') {
    const project = projectOf(scope);
    if (project === undefined) return walked;
    return { at: [linksOf(table, sql`true`, scope)], exact: once(linksOf(table, anyLabel(project), scope)) };
  }
  const titles = [...new Set(match.titles)].slice(0, maxBegun);
  const labelled = titles.map((title) => sql`label_id = any(${labelIds([title])})`);
  const at = labelled.map((label) => linksOf(table, sql`link.${label}`, scope));
  // Of several labels, the links of the first are looked through.
  const others = labelled.slice(1).map(
    (label) => sql`(select true from ${table} other
      where other.merge_request_id = link.merge_request_id and other.${label} limit 1)`,
  );
  const first = labelled[0];
  const all = first && join([sql`link.${first}`, ...others], ' and ');
  return { at, exact: all && match.titles.length <= maxBegun ? once(linksOf(table, all, scope)) : undefined };
}

/** By reactions of the viewer. */
export function byReaction(match: ReactionMatch, scope: MergeRequestScope, viewerId: number): Beginning {
  const table = sql`merge_request_reactions`;
  const given = sql`link.user_id = ${viewerId}::bigint and link.given`;
  if (match === 'none') {
    const project = projectOf(scope);
    return project === undefined ? walked : withoutLink(project, table, given);
  }
  const those = linksOf(table, match === 'any' ? given : sql`${given} and link.name = ${match.name}`, scope);
  return { at: [those], exact: once(those) };
}

/** What to exclude users by links leaves. */
function withoutUser(table: Sql) {
  const linked = byLinkedUsers(table);
  return (match: UserMatch, project: number): Beginning => {
    if (typeof match === 'string') return linked(match === 'any' ? 'none' : 'any', { projectId: project });
    const users = eachNamed(match);
    return users.length === 0 ? walked : withoutLink(project, table, ...users);
  };
}

/** A column of a project holds another branch: what stands before and after it in its index. */
const otherBranches =
  (column: Sql) =>
  (branch: string, project: number): Beginning =>
    exactly(
      join(
        [sql`${column} < ${branch}`, sql`${column} > ${branch}`].map((side) => inProject(project, side)),
        ' union all ',
      ),
    );

/** What `not` leaves of a project (ADR 42). */
const exclusions: {
  [F in keyof MergeRequestExclusion]?: (
    value: NonNullable<MergeRequestExclusion[F]>,
    project: number,
    viewerId: number,
  ) => Beginning;
} = {
  author: (match, project) =>
    typeof match === 'string' ? walked : exactly(outsideOf(project, sql`mr.author_id`, authorIds(match))),
  assignee: withoutUser(sql`merge_request_assignees`),
  reviewer: withoutUser(sql`merge_request_reviewers`),
  milestone: (match, project) => {
    if (typeof match === 'string') return byMilestone(match === 'any' ? 'none' : 'any', { projectId: project });
    return exactly(sql`${outsideOf(project, sql`mr.milestone_id`, milestoneIds(match.titles))}
      union all ${inProject(project, sql`mr.milestone_id is null`)}`);
  },
  labels: (match, project) =>
    typeof match === 'string'
      ? byLabels(match === 'any' ? 'none' : 'any', { projectId: project })
      : withoutTitles(project, match.titles),
  sourceBranch: otherBranches(sql`mr.source_branch`),
  targetBranch: otherBranches(sql`mr.target_branch`),
  reaction: (match, project, viewerId) => {
    if (typeof match === 'string')
      return byReaction(match === 'any' ? 'none' : 'any', { projectId: project }, viewerId);
    return withoutLink(
      project,
      sql`merge_request_reactions`,
      sql`link.user_id = ${viewerId}::bigint and link.given and link.name = ${match.name}`,
    );
  },
};

/** Where a list that excludes may begin, for each field that it excludes by. */
export function byExclusions(not: MergeRequestExclusion, scope: MergeRequestScope, viewerId: number): Beginning {
  const project = projectOf(scope);
  const given = (Object.keys(not) as (keyof MergeRequestExclusion)[]).filter((field) => not[field] !== undefined);
  if (project === undefined || given.length === 0) return walked;
  const found = given.map((field) => {
    const begin = exclusions[field] as ((value: unknown, within: number, viewer: number) => Beginning) | undefined;
    return begin === undefined ? walked : begin(not[field], project, viewerId);
  });
  return {
    at: found.flatMap(({ at }) => at),
    exact: found.length === 1 ? found[0]!.exact : undefined,
    slow: found.some(({ slow }) => slow),
  };
}
