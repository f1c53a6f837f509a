import { type Database, listPage, type PageRequest } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf } from '@switchyard/directory';
import type { Followed } from './subscription.store';

/** Opens the list of those who take part in an object of a kind. */
export const participantList = (db: Database, kind: Followed) => ({
  async page(id: number, internal: boolean, request: PageRequest) {
    const { rows, page } = await listPage({
      db,
      name: `list_${kind}_participants`,
      select: userColumns('shown'),
      from: sql`${raw(`${kind}_participants`)} tp ${userJoin('shown', sql`tp.user_id`)}`,
      countFrom: sql`${raw(`${kind}_participants`)} tp`,
      where: [sql`tp.${raw(`${kind}_id`)} = ${id}`, ...(internal ? [] : [sql`not tp.internal`])],
      orders: { id: [{ name: 'id', expression: sql`tp.user_id`, type: 'bigint' }] },
      request,
      count: true,
    });
    return { users: rows.flatMap((row) => userOf(row, 'shown') ?? []), page };
  },
});
