import { type Sql, sql } from '@switchyard/database/sql';

/** Columns of `namespaces n` for a `GroupRow`; the tier is that of the top-level group. */
export const groupColumns: Sql = sql`n.id, n.name, n.path, n.parent_id, n.ancestry, n.full_path, n.full_name, n.visibility,
  n.description, n.avatar_url, n.settings, n.created_at, n.marked_for_deletion_at,
  (select top.tier from namespaces top where top.id = n.ancestry[1]) as tier`;
