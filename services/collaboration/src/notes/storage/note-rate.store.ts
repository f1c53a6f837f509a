import { type Database, unguarded } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/** Opens the store. */
export const noteRateStore = (db: Database) => ({
  async count(userId: number, seconds: number) {
    // Counted is not begun: who is refused may come again.
    const row = await unguarded(() =>
      db.one<{ count: number }>(sql`
      insert into note_rates as r (user_id, ends_at, count) values (${userId}, now() + make_interval(secs => ${seconds}), 1)
      on conflict (user_id) do update set
        count = case when r.ends_at <= now() then 1 else r.count + 1 end,
        ends_at = case when r.ends_at <= now() then excluded.ends_at else r.ends_at end
      returning count`),
    );
    if (row === undefined) throw new Error('a comment has not been counted');
    return row.count;
  },
});
