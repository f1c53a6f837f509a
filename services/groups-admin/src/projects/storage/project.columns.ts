import { type Sql, sql } from '@switchyard/database/sql';
import type { Viewer } from '../../directory';
import { openIssuesOf } from '../../issuable-counts';

/** Columns of `projectFrom` for a `ProjectRow`. */
export const projectColumns = (viewer: Viewer): Sql => sql`p.*, n.name as namespace_name, n.path as namespace_path,
  n.kind as namespace_kind, n.full_path as namespace_full_path, n.full_name as namespace_full_name,
  n.parent_id as namespace_parent_id, coalesce(n.avatar_url, o.avatar_url) as namespace_avatar_url,
  (select top.tier from namespaces top where top.id = n.ancestry[1]) as tier, ${openIssuesOf(viewer)} as open_issues_count,
  o.id as owner_id, o.username as owner_username, o.name as owner_name, o.state as owner_state,
  o.avatar_url as owner_avatar_url, o.public_email as owner_public_email, o.created_at as owner_created_at,
  (select m.access_level from memberships m where m.project_id = p.id and m.user_id = ${viewer.userId}::bigint
    and (m.expires_at is null or m.expires_at > now())) as project_level,
  (select max(m.access_level) from memberships m where m.namespace_id = any(n.ancestry)
    and m.user_id = ${viewer.userId}::bigint and (m.expires_at is null or m.expires_at > now())) as group_level`;

/** Projects `p`, their namespaces `n` and the owners `o` of those that are users'. */
export const projectFrom: Sql = sql`projects p join namespaces n on n.id = p.namespace_id left join users o on o.id = n.owner_id`;
