import { join, type Sql, sql } from '@switchyard/database/sql';
import { type Viewer, visibleGroups } from '../../directory';
import { groupsOf, type Parent, parentColumn } from '../../parents';

const live = sql`(s.expires_at is null or s.expires_at > now())`;

/** Columns of `group_shares s` for a `Share`. */
export const shareColumns: Sql = sql`s.id, s.namespace_id, s.project_id, s.group_id, s.access_level, s.expires_at,
  not ${live} as expired`;

/**
 * The groups with which something is shared itself, as a JSON array of `SharedGroup`: those the viewer sees.
 * @param condition which shares `s`
 */
export const sharedGroupsJson = (condition: Sql, viewer: Viewer): Sql => sql`(
  select coalesce(json_agg(json_build_object('group_id', n.id, 'group_name', n.name, 'group_full_path', n.full_path,
    'group_access_level', s.access_level, 'expires_at', (s.expires_at at time zone 'UTC')::date) order by s.id), '[]'::json)
  from group_shares s join namespaces n on n.id = s.group_id where ${condition} and ${live} and ${visibleGroups(viewer)})`;

/** Ids of the projects that are shared with a group itself. */
export const projectsSharedWith = (groupId: number): Sql => sql`array(
  select s.project_id from group_shares s where s.group_id = ${groupId} and s.project_id is not null and ${live})`;

/** Ids of the groups that are shared with a group itself. */
export const groupsSharedWith = (groupId: number): Sql => sql`array(
  select s.namespace_id from group_shares s where s.group_id = ${groupId} and s.namespace_id is not null and ${live})`;

/** Groups that are invited to a group or project. */
export interface InvitedTo {
  readonly source: Parent;
  /** Its own shares count. */
  readonly direct: boolean;
  /** Those of the groups above count. */
  readonly inherited: boolean;
}

/** Ids of invited groups. */
export function groupsInvitedTo({ source, direct, inherited }: InvitedTo): Sql {
  const above = sql`s.namespace_id = any(${groupsOf(source)})`;
  const ways = [
    ...(direct ? [sql`s.${parentColumn(source)} = ${source.id}`] : []),
    ...(inherited ? [source.kind === 'group' ? sql`${above} and s.namespace_id <> ${source.id}` : above] : []),
  ];
  const condition = ways.length === 0 ? sql`false` : sql`(${join(ways, ' or ')})`;
  return sql`array(select s.group_id from group_shares s where ${condition} and ${live})`;
}
