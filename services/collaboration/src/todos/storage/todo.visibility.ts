import type { SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { memberNamespaces, memberProjects, usersAtLevel, usersWhoSeeGroup, type Viewer } from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import { readability, type Target } from '../../targets';

/** Least level of those who read internal notes (G-4.6-9). */
const { reporter } = levels;

const readsInternal = (viewer: Viewer): Sql =>
  sql`case when t.project_id is null then ${memberNamespaces(viewer, reporter)} else ${memberProjects(viewer, reporter)} end`;

/**
 * Whether the viewer may read the target of the to-do `t`, and the `note` it came from, on the aliases of the list of
 * to-dos.
 */
export const readableTarget = (viewer: Viewer): Sql => sql`case t.target_type
  when 'MergeRequest' then ${readability.MergeRequest.of(viewer)}
  when 'Issue' then ${readability.Issue.of(viewer)}
  when 'Commit' then ${readability.Commit.of(viewer)}
  when 'AlertManagement::Alert' then ${readability['AlertManagement::Alert'].of(viewer)}
  when 'Epic' then ${readability.Epic.of(viewer)}
  when 'Project' then ${readability.Project.of(viewer)} when 'Namespace' then ${readability.Namespace.of(viewer)} else false end
  and (t.note_id is null or note.id is not null
    and (not note.internal or ${viewer.admin ? sql`true` : readsInternal(viewer)}))`;

/**
 * Of users who may read a target, those who may read notes on it, by the note: internal ones are for Reporters and
 * above; deleted ones for no one.
 */
export async function noteReaders(
  tx: SqlExecutor,
  { projectId, groupId }: Pick<Target, 'projectId' | 'groupId'>,
  noteIds: readonly number[],
  userIds: readonly number[],
): Promise<Map<number, ReadonlySet<number>>> {
  if (noteIds.length === 0) return new Map();
  const notes = await tx.query<{ id: number; internal: boolean }>(
    sql`select id, internal from notes where id = any(${[...noteIds]}::bigint[])`,
  );
  const levelled =
    groupId === undefined
      ? () => usersAtLevel(tx, projectId, userIds, reporter)
      : () => usersWhoSeeGroup(tx, groupId, userIds, reporter);
  const insiders = notes.some(({ internal }) => internal) ? await levelled() : [];
  return new Map(notes.map(({ id, internal }) => [id, new Set(internal ? insiders : userIds)]));
}

/**
 * Least level of members who could read a target at the time of `wasConfidential`, whatever the visibility of the
 * project was then.
 * @param takesPart whether they were among its people
 * @param internal whether what they were to read was an internal note
 */
export function levelToRead(
  target: Target,
  { takesPart, internal }: { takesPart: boolean; internal: boolean },
): number {
  const { memberLevel } = readability[target.type];
  const closed = target.wasConfidential === true && !takesPart;
  return Math.max(memberLevel, closed ? levels.planner : 0, internal ? reporter : 0);
}
