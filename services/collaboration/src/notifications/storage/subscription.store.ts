import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/** Notes that a user does not want to be notified of an issue; false when it is gone. */
export async function endIssueSubscription(tx: SqlExecutor, userId: number, issueId: number): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into issue_subscriptions (issue_id, user_id, subscribed)
    select i.id, ${userId}, false from issues i where i.id = ${issueId} for key share
    on conflict (issue_id, user_id) do update set subscribed = false returning 1`);
  return rows.length > 0;
}
