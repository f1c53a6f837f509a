import { type Database, listPage, type PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { AccountFacts, AccountOwner, ServiceAccountRow } from '../domain/service-account';

const columns = sql`u.id, u.username, u.name, u.email, u.public_email,
  (select e.email from emails e where e.user_id = u.id and e.becomes_primary) as unconfirmed_email`;

/** False for what is to be deleted with what it wrote: it is gone for those who asked for that. */
const stays = sql`not exists (select from user_deletions d where d.user_id = u.id)`;

const id = { name: 'id', expression: sql`u.id`, type: 'bigint' } as const;
const orders = {
  id: [id],
  username: [{ name: 'username', expression: sql`u.username`, type: 'text' } as const, id],
};

/** Service accounts as they are read. */
export const serviceAccountStore = (db: Database) => ({
  list: (owner: AccountOwner, request: PageRequest) =>
    listPage<ServiceAccountRow>({
      db,
      name: 'list_service_accounts',
      select: columns,
      from: sql`users u`,
      where: [
        sql`u.user_type = 'service_account'`,
        owner === 'instance'
          ? sql`u.service_account_group_id is null`
          : sql`u.service_account_group_id = ${owner.groupId}::bigint`,
        stays,
      ],
      orders,
      request,
      count: true,
    }),

  find: (userId: number): Promise<AccountFacts | undefined> =>
    db.one<AccountFacts>(sql`
      select ${columns}, u.user_type, u.service_account_group_id as group_id from users u
      where u.id = ${userId}::bigint and ${stays}`),

  isTopLevel: async (groupId: number): Promise<boolean> =>
    (await db.one(
      sql`select 1 from namespaces where id = ${groupId}::bigint and kind = 'group' and parent_id is null`,
    )) !== undefined,

  orphans: (after: number, limit: number): Promise<{ id: number }[]> =>
    db.query(sql`
      select u.id from users u
      where u.user_type = 'service_account' and u.service_account_group_id is not null and u.id > ${after}::bigint
        and not exists (select from namespaces n where n.id = u.service_account_group_id)
      order by u.id limit ${limit}`),
});
