import type { Database, SqlExecutor } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import { freshLike, lastId, type Reconciled } from '../../rebuilds';
import { membershipHistory } from './membership-history';

const todoScratch = raw('rebuilt_todos');
const activityScratch = raw('rebuilt_todo_acts');
const requestScratch = raw('rebuilt_todo_asks');
const membershipScratch = raw('rebuilt_membership_changes');

/** Tables that a rebuild fills beside those in use, and how the ones in use are brought to the same. Ids stay. */
export const todoRebuildStore = (db: Database) => ({
  tables: {
    todos: todoScratch,
    acts: activityScratch,
    requests: requestScratch,
    members: membershipHistory(membershipScratch),
  },
  prepare: async (): Promise<number> => {
    await freshLike(db, activityScratch, sql`todo_acts`);
    await freshLike(db, todoScratch, sql`todos`);
    await db.query(sql`drop table if exists ${requestScratch}, ${membershipScratch}`);
    await db.query(sql`
      create table ${requestScratch} (target_type text, target_id bigint, action text, cause text, user_id bigint, note_id bigint,
        primary key (target_type, target_id, action, cause, user_id))`);
    await db.query(sql`create index on ${requestScratch} (note_id)`);
    await db.query(sql`
      create table ${membershipScratch} (membership_id bigint, changed_at timestamptz, level_before integer,
        primary key (membership_id, changed_at))`);
    return lastId(db, sql`todos`);
  },
  /** Records the level that a membership had until a given time; 0 where it began then. */
  async membershipChanged(tx: SqlExecutor, membershipId: number, at: Date, levelBefore: number): Promise<void> {
    await tx.query(sql`
      insert into ${membershipScratch} as known (membership_id, changed_at, level_before)
      values (${membershipId}, ${at}, ${levelBefore}) on conflict (membership_id, changed_at)
      do update set level_before = least(known.level_before, excluded.level_before)`);
  },
  /**
   * Brings the to-dos in use to what was rebuilt. A to-do that a user made by hand or marked as done has no event: it
   * stays. So does one for an access request, which the service of groups still has or has ended. So does a request to a user of whom it is no longer known whether they could read the target: it is neither
   * made nor changed nor removed.
   * @param since events before it are no longer on the bus: what is older stays
   * @param upTo last id before the rebuild began
   */
  reconcile: (since: Date, upTo: number): Promise<Reconciled> =>
    db.transaction(async (tx) => {
      const same = sql`r.user_id = t.user_id and r.target_type = t.target_type and r.target_id = t.target_id and r.action = t.action
        and r.cause = t.cause`;
      const removed = await tx.query(sql`
        delete from todos t where t.created_at >= ${since}::timestamptz and t.id <= ${upTo}
          and t.action not in ('marked', 'member_access_requested')
          and not exists (select 1 from ${todoScratch} r where ${same})
          and not exists (
            select 1 from ${requestScratch} r where r.target_type = t.target_type and r.target_id = t.target_id and r.action = t.action
              and r.cause = t.cause and r.user_id in (t.user_id, 0))
        returning 1`);
      const changed = await tx.query(sql`
        update todos t set state = r.state, updated_at = case when t.state = r.state then t.updated_at else r.updated_at end,
          repeats = r.repeats
        from ${todoScratch} r
        where ${same} and r.created_at = t.created_at and t.id <= ${upTo}
          and coalesce(t.repeats, '[]') <@ coalesce(r.repeats, '[]')
          and (r.state = 'done' and t.state = 'pending' or r.state = t.state and r.repeats is distinct from t.repeats) returning 1`);
      const added = await tx.query(sql`
        insert into todos (user_id, author_id, action, project_id, group_id, target_type, target_id, target_iid, note_id, cause, body, state,
          created_at, updated_at, repeats)
        select r.user_id, r.author_id, r.action, r.project_id, r.group_id, r.target_type, r.target_id, r.target_iid, r.note_id, r.cause,
          r.body, r.state, r.created_at, r.updated_at, r.repeats
        from ${todoScratch} r where r.created_at >= ${since}::timestamptz and not exists (
          select 1 from todos t where ${same} and (t.id > ${upTo}
            or t.created_at <= r.created_at and (t.state = 'pending' or t.updated_at >= r.created_at)))
        order by r.id
        on conflict (user_id, target_type, target_id, action, cause) where state = 'pending' do nothing returning 1`);
      await tx.query(sql`insert into todo_acts select * from ${activityScratch} on conflict do nothing`);
      await tx.query(sql`drop table ${todoScratch}, ${activityScratch}, ${requestScratch}, ${membershipScratch}`);
      return { added: added.length, changed: changed.length, removed: removed.length };
    }),
});
