import { contains } from '@switchyard/database';
import { join, type Sql, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import type { Viewer } from '../domain/access-rules';

/** Sees what is public: for conditions that reach nothing whose visibility counts. */
export const publicViewer: Viewer = { userId: 0, admin: false, external: false };

// Subselects that do not mention the row they are used for run once per statement; an expired membership is none (D3).
const memberships = (viewer: Viewer, least: number): Sql => sql`memberships m
  where m.user_id = ${viewer.userId}::bigint and m.access_level >= ${least}::int
  and (m.expires_at is null or m.expires_at > now())`;

const ownNamespaces = (viewer: Viewer, least: number): Sql =>
  sql`select m.namespace_id from ${memberships(viewer, least)} and m.namespace_id is not null`;

/** Namespaces marked for deletion: whatever lies below is hidden at once (D5). */
export const deletingIds = sql`array(select d.id from namespaces d where d.marked_for_deletion_at is not null)`;

/**
 * Shares `s` with groups that the viewer is in. No share of an invited group is looked at, and a group that is hidden
 * gives nothing. The ids of the groups are an array, so that the plan goes from the viewer's few groups to their shares by
 * index; joined, it reads every share there is.
 */
const sharesWith = (viewer: Viewer, least: number): Sql => sql`group_shares s
  where s.group_id = any(array(
    select g.id from namespaces g
    where g.ancestry && array(${ownNamespaces(viewer, least)}) and not (g.ancestry && ${deletingIds})))
  and s.access_level >= ${least}::int and (s.expires_at is null or s.expires_at > now())`;

/**
 * Namespaces in which the viewer is a member, directly or by a share. What lies in a group of theirs is left out: a
 * condition compares every row with this array, so it has to stay short where a whole tree shares with itself.
 */
const memberNamespaceIds = (viewer: Viewer, least: number): Sql => sql`array(${ownNamespaces(viewer, least)}
  union all select s.namespace_id from ${sharesWith(viewer, least)} and not exists (
    select from namespaces t where t.id = s.namespace_id and t.ancestry && array(${ownNamespaces(viewer, least)}))
    and s.namespace_id is not null)`;

/** Projects in which the viewer is a member, directly or by a share. */
const memberProjectIds = (viewer: Viewer, least: number): Sql => sql`array(
  select m.project_id from ${memberships(viewer, least)} and m.project_id is not null
  union all select s.project_id from ${sharesWith(viewer, least)} and s.project_id is not null)`;

/**
 * The time of a mark whose purge has begun, or begins at once: what bears it cannot be restored, so it is found by no one
 * any more.
 */
export const purgeBegun = sql`to_timestamp(0)`;

const namespaceLives = sql`not (n.ancestry && ${deletingIds})`;
const projectLives = sql`p.marked_for_deletion_at is null and ${namespaceLives}`;

/** What is open to a viewer without any membership. */
function openTo(column: Sql, viewer: Viewer): Sql {
  return viewer.userId === 0 || viewer.external ? sql`${column} = 'public'` : sql`${column} in ('public', 'internal')`;
}

const or = (parts: Sql[]): Sql => sql`(${join(parts, ' or ')})`;

/** Groups the viewer is in, at `least` or more: a condition on `namespaces n`. */
export const memberGroups = (viewer: Viewer, least: number = levels.minimal): Sql =>
  viewer.userId === 0 ? sql`false` : sql`n.ancestry && ${memberNamespaceIds(viewer, least)}`;

/** Groups above a subgroup or project the viewer is in: a condition on `namespaces n`. */
const groupsAboveMemberships = (viewer: Viewer): Sql => sql`n.id = any(array(
  select unnest(below.ancestry) from namespaces below
  where (below.id = any(${memberNamespaceIds(viewer, levels.minimal)}) or below.id = any(array(
    select held.namespace_id from projects held
    where held.id = any(${memberProjectIds(viewer, levels.minimal)}) and held.marked_for_deletion_at is null)))
  and not (below.ancestry && ${deletingIds})))`;

/**
 * How many groups the other conditions of a list leave. Among `many` the indexes of the groups answer. Among `few` one
 * group after the other is asked, those that the viewer is in by no share first: the shares among the groups of a large
 * tree, which take long to read, are read when a group is left that needs them.
 */
type Among = 'few' | 'many';

/** `condition`, which every group meets that the viewer is in by no share. */
const among = (extent: Among, viewer: Viewer, condition: Sql): Sql =>
  extent === 'many' || viewer.userId === 0
    ? condition
    : sql`case when n.ancestry && array(${ownNamespaces(viewer, levels.minimal)}) then true else ${condition} end`;

/** Groups the viewer belongs to: by membership, or as those above one. A condition on `namespaces n`. */
export const ownGroups = (viewer: Viewer, extent: Among = 'many'): Sql =>
  viewer.userId === 0 ? sql`false` : among(extent, viewer, or([memberGroups(viewer), groupsAboveMemberships(viewer)]));

/** Groups the viewer may see: a condition on `namespaces n`. */
export function visibleGroups(viewer: Viewer, extent: Among = 'many'): Sql {
  if (viewer.admin) return namespaceLives;
  const reach = [openTo(sql`n.visibility`, viewer)];
  if (viewer.userId > 0) reach.push(memberGroups(viewer), groupsAboveMemberships(viewer));
  return sql`${namespaceLives} and ${among(extent, viewer, or(reach))}`;
}

/** Whether the column of a mark was set on a day (`YYYY-MM-DD`, UTC), or at all, and the purge has not begun. */
const markedOn = (column: Sql, day: string | undefined): Sql =>
  day === undefined
    ? sql`${column} > ${purgeBegun}`
    : sql`${column} > ${purgeBegun} and (${column} at time zone 'UTC')::date = ${day}::date`;

const purgingIds = sql`array(select d.id from namespaces d where d.marked_for_deletion_at = ${purgeBegun})`;

/** Groups that were marked for deletion on a day and that the viewer may restore: a condition on `namespaces n`. */
export const restorableGroups = (viewer: Viewer, day: string): Sql => sql`
  (${markedOn(sql`n.marked_for_deletion_at`, day)}) and not (n.ancestry && ${purgingIds})
  and ${viewer.admin ? sql`true` : memberGroups(viewer, levels.owner)}`;

/**
 * Projects that were marked for deletion, on a day where one is given, and that the viewer may restore: a condition on
 * `projects p` and `namespaces n`.
 */
export const restorableProjects = (viewer: Viewer, day?: string): Sql => sql`
  (${markedOn(sql`p.marked_for_deletion_at`, day)}) and not (n.ancestry && ${purgingIds})
  and ${viewer.admin ? sql`true` : memberProjects(viewer, levels.owner)}`;

/**
 * Projects the viewer is a member of, at `least` or more: a condition on `projects p`. It names columns of `p` alone,
 * so that two of its indexes answer it where no other condition does.
 */
export const memberProjects = (viewer: Viewer, least: number = levels.guest): Sql =>
  viewer.userId === 0
    ? sql`false`
    : or([
        sql`p.id = any(${memberProjectIds(viewer, least)})`,
        sql`p.namespace_id = any(array(
          select held.id from namespaces held
          where held.ancestry && ${memberNamespaceIds(viewer, least)} or held.owner_id = ${viewer.userId}::bigint))`,
      ]);

/** Projects the viewer may see: a condition on `projects p` and `namespaces n`. */
export function visibleProjects(viewer: Viewer): Sql {
  if (viewer.admin) return projectLives;
  const reach = [openTo(sql`p.visibility`, viewer)];
  if (viewer.userId > 0) reach.push(memberProjects(viewer));
  return sql`${projectLives} and ${or(reach)}`;
}

/** Below this many characters a search finds exact matches only (G-4.15-2). */
const minPartLength = 3;

/** A search over columns: a part of them, or the whole of one when the text is short. */
export function matches(text: string, columns: readonly Sql[]): Sql {
  return or(
    columns.map((column) =>
      text.length < minPartLength
        ? sql`lower(${column}) = lower(${text}::text)`
        : sql`${column} ilike ${contains(text)}`,
    ),
  );
}
