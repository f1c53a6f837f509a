import { type Database, listPage, type PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf } from '@switchyard/directory';

/** Opens the list. */
export const issueParticipantList = (db: Database) => ({
  async page(issueId: number, internal: boolean, request: PageRequest) {
    const { rows, page } = await listPage({
      db,
      name: 'list_issue_participants',
      select: userColumns('shown'),
      from: sql`issue_participants ip ${userJoin('shown', sql`ip.user_id`)}`,
      countFrom: sql`issue_participants ip`,
      where: [sql`ip.issue_id = ${issueId}`, ...(internal ? [] : [sql`not ip.internal`])],
      orders: { id: [{ name: 'id', expression: sql`ip.user_id`, type: 'bigint' }] },
      request,
      count: true,
    });
    return { users: rows.flatMap((row) => userOf(row, 'shown') ?? []), page };
  },
});
