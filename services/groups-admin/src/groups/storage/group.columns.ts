import { type Sql, sql } from '@switchyard/database/sql';
import { customAttributesOf } from '../../custom-attributes';
import { purgeBegun } from '../../directory';
import { groupSizes } from '../../statistics';
import type { GroupExtras } from '../domain/group-row';

/** Columns of `namespaces n` for a `GroupRow`; the tier and the git protocol are those of the top-level group. */
export const groupColumns: Sql = sql`n.id, n.name, n.path, n.parent_id, n.ancestry, n.full_path, n.full_name, n.visibility,
  n.description, n.avatar_url, n.settings, n.created_at, n.marked_for_deletion_at,
  coalesce(n.marked_for_deletion_at = ${purgeBegun}, false) as purging,
  (select top.tier from namespaces top where top.id = n.ancestry[1]) as tier,
  (select top.settings ->> 'enabled_git_access_protocol' from namespaces top where top.id = n.ancestry[1]) as git_protocol`;

/** `groupColumns` with what was requested in addition. */
export const groupColumnsWith = ({ statistics, customAttributes }: GroupExtras): Sql =>
  sql`${groupColumns} ${statistics ? sql`, ${groupSizes} as sizes` : sql``}
    ${customAttributes ? sql`, ${customAttributesOf('group', sql`n.id`)} as custom_attributes` : sql``}`;

/** No extras. */
export const noExtras: GroupExtras = { statistics: false, customAttributes: false };
