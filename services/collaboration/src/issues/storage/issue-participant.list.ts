import { type Database, listPage, type PageInfo, type PageRequest, sql } from '@switchyard/database';
import { type UserRow, userColumns, userJoin, userOf } from '@switchyard/directory';

/** Reads who took part in issues. */
export interface IssueParticipantList {
  /**
   * One page of an issue's participants, by id.
   * @param internal whether those are shown who wrote internal notes alone
   */
  page(issueId: number, internal: boolean, request: PageRequest): Promise<{ users: UserRow[]; page: PageInfo }>;
}

/** Opens the list. */
export const issueParticipantList = (db: Database): IssueParticipantList => ({
  async page(issueId, internal, request) {
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
