import type { Beginnings } from '@switchyard/database';
import { empty, join, type Sql, sql } from '@switchyard/database/sql';
import type { MergeRequestFilter, UserMatch } from '../domain/merge-request-filter';
import {
  type Beginning,
  exactly,
  inProject,
  linksOf,
  type MergeRequestScope,
  once,
  projectOf,
  walked,
} from './merge-request.beginning-parts';
import {
  byExclusions,
  byLabels,
  byLinkedUsers,
  byMilestone,
  byReaction,
  byUser,
  eachNamed,
} from './merge-request.column-beginnings';
import { deploymentLinks, withCommit } from './merge-request.filter';

export type { MergeRequestScope } from './merge-request.beginning-parts';

/** Projects of a scope, as a condition on `column`; undefined for the whole instance. */
function inScope(column: Sql, scope: MergeRequestScope): Sql | undefined {
  if (scope === 'all') return undefined;
  if ('projectId' in scope) return sql`${column} = ${scope.projectId}`;
  return sql`${column} = any(array(select p.id from directory.projects p join directory.namespaces n on n.id = p.namespace_id
    where n.ancestry @> array[${scope.groupId}::bigint]))`;
}

function approvedOrNot(approved: boolean, scope: MergeRequestScope): Beginning {
  const here = inScope(sql`mr.project_id`, scope);
  if (here !== undefined) {
    const those = sql`select mr.id from merge_requests mr where ${here} and mr.approved = ${approved}`;
    return exactly(those);
  }
  return { at: approved ? [sql`select link.merge_request_id as id from merge_request_approvals link`] : [] };
}

function approvedBy(match: UserMatch, scope: MergeRequestScope): Beginning {
  if (typeof match === 'string') return approvedOrNot(match === 'any', scope);
  const at = eachNamed(match).map((user) => linksOf(sql`merge_request_approvals`, user, scope));
  return { at, exact: at.length === 1 ? at[0] : undefined };
}

/**
 * By rules: those with rules of their own and those of the projects whose rules match. Of the latter the ones with rules
 * of their own are left out when they are counted alone; to begin with, looking for these costs more than it saves.
 */
function byRules(own: Sql, projects: Sql): Pick<Beginning, 'at'> {
  return {
    at: [
      sql`select own.id from (${own}) own union all select mr.id from merge_requests mr where mr.project_id = any(array(${projects}))`,
    ],
  };
}

function approver(match: UserMatch, scope: MergeRequestScope): Beginning {
  const project = projectOf(scope);
  if (typeof match !== 'string') {
    const found = eachNamed(match).map((user) => {
      const named = sql`approval_rule_users link where ${user}`;
      const here = project === undefined ? empty : sql` and link.project_id = ${project}`;
      return {
        own: sql`select link.merge_request_id as id from ${named}${here} and link.merge_request_id is not null`,
        projects: sql`select link.project_id from ${named}${here} and link.merge_request_id is null`,
      };
    });
    const [only] = found;
    return {
      at: found.flatMap(({ own, projects }) => byRules(own, projects).at),
      exact: project !== undefined && only && found.length === 1 ? exactByRules(only, project) : undefined,
    };
  }
  if (project === undefined) return { at: [] };
  const named = (condition: Sql) =>
    sql`select link.merge_request_id as id from approval_rule_users link where link.project_id = ${project} and ${condition}`;
  const projectNames = named(sql`link.merge_request_id is null`);
  const parts =
    match === 'any'
      ? {
          own: named(sql`link.merge_request_id is not null`),
          projects: sql`select ${project}::bigint where exists (${projectNames})`,
        }
      : {
          own: sql`select r.merge_request_id as id from approval_rules r
            where r.project_id = ${project} and r.merge_request_id is not null
              and not exists (${named(sql`link.merge_request_id = r.merge_request_id`)})`,
          projects: sql`select ${project}::bigint where not exists (${projectNames})`,
        };
  return { ...byRules(parts.own, parts.projects), exact: exactByRules(parts, project) };
}

function exactByRules({ own, projects }: { own: Sql; projects: Sql }, project: number): Sql {
  const overriding = sql`(select not p.disable_overriding_approvers_per_merge_request from directory.projects p where p.id = ${project})`;
  return sql`select distinct own.id from (${own}) own where ${overriding}
    union all select mr.id from merge_requests mr where mr.project_id = ${project} and ${project}::bigint = any(array(${projects}))
      and not (${overriding} and mr.id in (select r.merge_request_id from approval_rules r
        where r.project_id = ${project} and r.merge_request_id is not null))`;
}

const beginnings: {
  [F in keyof MergeRequestFilter]?: (
    value: NonNullable<MergeRequestFilter[F]>,
    scope: MergeRequestScope,
    viewerId: number,
  ) => Beginning;
} = {
  approvedBy,
  approver,
  approved: approvedOrNot,
  author: byUser(sql`mr.author_id`),
  mergeUser: byUser(sql`mr.merge_user_id`),
  assignee: byLinkedUsers(sql`merge_request_assignees`),
  reviewer: byLinkedUsers(sql`merge_request_reviewers`),
  labels: byLabels,
  milestone: byMilestone,
  reaction: byReaction,
  sourceBranch(branch, scope) {
    const project = projectOf(scope);
    return project === undefined ? walked : exactly(inProject(project, sql`mr.source_branch = ${branch}`));
  },
  draft(draft, scope) {
    const project = projectOf(scope);
    return project === undefined ? walked : exactly(inProject(project, sql`mr.draft = ${draft}`));
  },
  commit: (sha) => ({ at: [withCommit(sha)] }),
  deployment(match, scope) {
    if (match.id !== undefined) return walked;
    const those = linksOf(sql`deployment_merge_requests`, join(deploymentLinks(sql`link`, match), ' and '), scope);
    return { at: [those], exact: once(those) };
  },
  scope(given, scope, viewerId) {
    const viewer = { ids: [viewerId], usernames: [] };
    if (given === 'assigned_to_me') return byLinkedUsers(sql`merge_request_assignees`)(viewer, scope);
    return given === 'reviews_for_me' ? byLinkedUsers(sql`merge_request_reviewers`)(viewer, scope) : walked;
  },
  not: byExclusions,
};

/**
 * Where a list may begin: for each filter that may leave few of many, the index of what it looks at (ADR 42). A project
 * whose only filter that is, is counted there as well.
 */
export function beginningsOf(
  filter: MergeRequestFilter,
  scope: MergeRequestScope,
  viewerId: number,
  id: Sql,
): Beginnings {
  const given = (Object.keys(filter) as (keyof MergeRequestFilter)[]).filter((field) => filter[field] !== undefined);
  const found = given.flatMap((field) => {
    const begin = beginnings[field] as
      | ((value: unknown, within: MergeRequestScope, viewer: number) => Beginning)
      | undefined;
    return begin === undefined ? [] : [begin(filter[field], scope, viewerId)];
  });
  const inTurn = [...found].sort((one, other) => Number(one.slow ?? false) - Number(other.slow ?? false));
  const project = projectOf(scope);
  const exact = given.length === 1 && project !== undefined ? found[0]?.exact : undefined;
  return {
    id,
    at: inTurn.flatMap(({ at }) => at),
    ...(exact === undefined ? {} : { count: countable(exact, project!) }),
  };
}

/** Nothing where merge requests are turned off, as in the list itself. */
const countable = (exact: Sql, project: number): Sql =>
  sql`select one.id from (${exact}) one
    where (select p.merge_requests_enabled from directory.projects p where p.id = ${project})`;
