import type { SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import {
  memberProjects,
  type ProjectRule,
  usersAtLevel,
  usersWhoSee,
  type Viewer,
  visibleProjects,
} from '@switchyard/directory';
import { levels } from '@switchyard/rights';

/** Who reads the issues of a project: users who see it, where the feature is open to them. */
export const issueRule: ProjectRule = { feature: 'issues' };

/** Whether the viewer takes part in the issue `i`: as its author or an assignee. */
const takesPart = (userId: number): Sql => sql`(i.author_id = ${userId}::bigint
  or exists (select 1 from issue_assignees part where part.issue_id = i.id and part.user_id = ${userId}::bigint))`;

/** Issues `i` that are not confidential to a viewer who has this level in their project. */
export function openToLevel({ userId, admin }: Viewer, level: number): Sql {
  if (admin || level >= levels.planner) return sql`true`;
  return userId === 0 ? sql`not i.confidential` : sql`(not i.confidential or ${takesPart(userId)})`;
}

/** Issues `i` that a viewer may see, wherever they lie: a condition on `i`, and on `p` and `n` of `joinProject`. */
export function visibleIssues(viewer: Viewer): Sql {
  const { userId, admin } = viewer;
  const open = admin
    ? sql`true`
    : userId === 0
      ? sql`not i.confidential`
      : sql`(not i.confidential or ${takesPart(userId)} or ${memberProjects(viewer, levels.planner)})`;
  return sql`(p.issues_enabled and ${visibleProjects(viewer, issueRule)} and ${open})`;
}

/** Those of `userIds` who may read an issue; none where it is gone or issues are off. */
export async function issueReaders(
  tx: SqlExecutor,
  { id, projectId }: { readonly id: number; readonly projectId: number },
  userIds: readonly number[],
): Promise<number[]> {
  const [issue] = await tx.query<{ confidential: boolean; people: number[] }>(sql`
    select i.confidential, i.author_id || array(select user_id from issue_assignees where issue_id = i.id) as people
    from issues i join directory.projects p on p.id = i.project_id where i.id = ${id} and p.issues_enabled`);
  if (issue === undefined) return [];
  const readers = await usersWhoSee(tx, projectId, userIds, issueRule);
  if (!issue.confidential) return readers;
  const planners = new Set(await usersAtLevel(tx, projectId, readers, levels.planner));
  return readers.filter((userId) => planners.has(userId) || issue.people.includes(userId));
}
