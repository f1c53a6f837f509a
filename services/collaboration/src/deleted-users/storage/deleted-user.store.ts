import type { Database, SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/** Its notices wake those who delete what the users wrote, in all processes. */
const channel = 'switchyard_deleted_users';

/** Users who were deleted with what they wrote. */
export const deletedUsers = {
  /** Calls `wake` when one was queued; returns what ends that. */
  onQueued: (db: Database, wake: () => void): (() => void) => db.notices.listen(channel, wake),

  /** Queues a user in the caller's transaction; one who is there already stays. */
  async queue(tx: Tx, userId: number): Promise<void> {
    await tx.query(sql`insert into deleted_users (user_id) values (${userId}) on conflict do nothing`);
    tx.notify(channel);
  },

  /** Users with ids above `after`, ascending. */
  next: (db: SqlExecutor, after: number, limit: number): Promise<{ id: number }[]> =>
    db.query(sql`select user_id as id from deleted_users where user_id > ${after} order by user_id limit ${limit}`),

  /** Nothing of the user is left. */
  async settle(db: SqlExecutor, userId: number): Promise<void> {
    await db.query(sql`delete from deleted_users where user_id = ${userId}`);
  },

  /** Removes up to `limit` events that a user caused; returns how many. */
  async removeEvents(db: SqlExecutor, userId: number, limit: number): Promise<number> {
    const gone = await db.query(sql`
      delete from activity_events where id = any(array(
        select e.id from activity_events e where e.author_id = ${userId} limit ${limit}))
      returning 1`);
    return gone.length;
  },
};
