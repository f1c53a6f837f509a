import { type Sql, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import { customAttributesOf } from '../../custom-attributes';
import { type Viewer, visibleProjects, waysOf } from '../../directory';
import { openIssuesOf } from '../../issuable-counts';
import { sharedGroupsJson } from '../../shares';
import { projectSizes } from '../../statistics';
import { topicNames } from '../../topics';
import type { ProjectExtras } from '../domain/project-row';

/** Projects `p`, their namespaces `n` and the owners `o` of those that are users'. */
export const projectFrom: Sql = sql`projects p join namespaces n on n.id = p.namespace_id left join users o on o.id = n.owner_id`;

/** Forks of the project `p`, without those that are hidden because they are marked for deletion. */
const forksCount: Sql = sql`(select count(*)::int from projects f join namespaces fn on fn.id = f.namespace_id
  where f.forked_from_project_id = p.id and f.marked_for_deletion_at is null
    and not fn.ancestry && array(select d.id from namespaces d where d.marked_for_deletion_at is not null))`;

/**
 * The project that `p` is a fork of, as JSON; null where the viewer does not see it. `fork` stands for the
 * row outside, since the conditions of what is visible speak of `p` and `n`.
 */
const forkedFrom = (viewer: Viewer): Sql => sql`(
  select json_build_object('id', p.id, 'description', p.description, 'name', p.name, 'path', p.path,
    'created_at', p.created_at, 'default_branch', p.default_branch, 'topics', ${topicNames}, 'readme_path', p.readme_path,
    'forks_count', ${forksCount}, 'avatar_url', p.avatar_url, 'star_count', p.star_count, 'visibility', p.visibility,
    'last_activity_at', p.last_activity_at, 'namespace_id', p.namespace_id, 'namespace_name', n.name,
    'namespace_path', n.path, 'namespace_kind', n.kind, 'namespace_full_path', n.full_path,
    'namespace_full_name', n.full_name, 'namespace_parent_id', n.parent_id,
    'namespace_avatar_url', coalesce(n.avatar_url, o.avatar_url))
  from (select p.forked_from_project_id as source_id) fork, ${projectFrom}
  where p.id = fork.source_id and ${visibleProjects(viewer)})`;

/** Columns of `projectFrom` for a `ProjectRow`. */
export const projectColumns = (
  viewer: Viewer,
): Sql => sql`p.*, ${topicNames} as topics, n.name as namespace_name, n.path as namespace_path,
  n.kind as namespace_kind, n.full_path as namespace_full_path, n.full_name as namespace_full_name,
  n.parent_id as namespace_parent_id, coalesce(n.avatar_url, o.avatar_url) as namespace_avatar_url,
  (select top.tier from namespaces top where top.id = n.ancestry[1]) as tier, ${openIssuesOf(viewer)} as open_issues_count,
  o.id as owner_id, o.username as owner_username, o.name as owner_name, o.state as owner_state,
  o.avatar_url as owner_avatar_url, o.public_email as owner_public_email, o.created_at as owner_created_at,
  (select m.access_level from memberships m where m.project_id = p.id and m.user_id = ${viewer.userId}::bigint
    and (m.expires_at is null or m.expires_at > now())) as project_level,
  (select max(m.access_level) from memberships m where m.namespace_id = any(n.ancestry)
    and m.user_id = ${viewer.userId}::bigint and (m.expires_at is null or m.expires_at > now())) as group_level,
  (select max(way.level) from (${waysOf(viewer.userId, { ancestry: sql`n.ancestry`, projectId: sql`p.id` }, levels.guest)}) as way) as level,
  ${forksCount} as forks_count, ${forkedFrom(viewer)} as forked_from,
  ${sharedGroupsJson(sql`s.project_id = p.id`, viewer)} as shared_with_groups`;

/** `projectColumns` with what was requested in addition. */
export const projectColumnsWith = (viewer: Viewer, { statistics, customAttributes }: ProjectExtras): Sql =>
  sql`${projectColumns(viewer)} ${statistics ? sql`, ${projectSizes(viewer)} as sizes` : sql``}
    ${customAttributes ? sql`, ${customAttributesOf('project', sql`p.id`)} as custom_attributes` : sql``}`;

/** No extras. */
export const noExtras: ProjectExtras = { statistics: false, customAttributes: false };
