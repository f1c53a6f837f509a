import { type Database, listPage, type PageInfo, type PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { publicViewer, visibleGroups } from '../../directory';
import type { UserMembershipRow } from '../domain/member-row';
import { live } from './membership.sql';

/** Administrators see everything but what is marked for deletion. */
const everything = { ...publicViewer, admin: true };

const columns = sql`m.id, coalesce(m.project_id, m.namespace_id) as source_id, coalesce(p.name, n.name) as source_name,
  case when m.project_id is null then 'Namespace' else 'Project' end as source_type, m.access_level`;

const from = sql`memberships m left join projects p on p.id = m.project_id
  join namespaces n on n.id = coalesce(m.namespace_id, p.namespace_id)`;

const ofType = {
  Project: sql`m.project_id is not null`,
  Namespace: sql`m.namespace_id is not null`,
};

/** Opens the list of a user's direct memberships: one statement for the user, one for the page and one count. */
export const listUserMemberships =
  (db: Database) =>
  async (
    userId: number,
    type: UserMembershipRow['source_type'] | undefined,
    request: PageRequest,
  ): Promise<{ rows: UserMembershipRow[]; page: PageInfo } | undefined> => {
    if ((await db.one(sql`select 1 from users where id = ${userId}`)) === undefined) return undefined;
    const { rows, page } = await listPage<UserMembershipRow & { id: number }>({
      db,
      name: 'list_user_memberships',
      select: columns,
      from,
      where: [
        sql`m.user_id = ${userId}`,
        live,
        sql`p.marked_for_deletion_at is null`,
        visibleGroups(everything),
        ...(type === undefined ? [] : [ofType[type]]),
      ],
      orders: { id: [{ name: 'id', expression: sql`m.id`, type: 'bigint' }] },
      request,
      count: true,
    });
    return { rows: rows.map(({ id: _, ...row }) => row), page };
  };
