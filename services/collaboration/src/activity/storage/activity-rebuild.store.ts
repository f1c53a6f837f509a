import type { Database } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';
import { freshLike, lastId, type Reconciled } from '../../rebuilds';

const scratch = raw('rebuilt_activity_events');

/** Columns of an activity that a rebuild may change; time and cause identify it. */
const changeable = [
  'project_id',
  'author_id',
  'action',
  'target_type',
  'target_id',
  'target_iid',
  'target_title',
].concat(['subject_type', 'subject_id', 'push_data', 'imported']);

const columnsOf = (alias: string, asText = ''): Sql =>
  raw(changeable.map((name) => `${alias}${name}${name === 'push_data' ? asText : ''}`).join(', '));

/** The table that a rebuild fills beside the feed in use, and how the feed is brought to the same. Ids stay. */
export const activityRebuildStore = (db: Database) => ({
  table: scratch as Sql,
  prepare: async (): Promise<number> => {
    await freshLike(db, scratch, sql`activity_events`);
    return lastId(db, sql`activity_events`);
  },
  /**
   * Brings the feed to what was rebuilt.
   * @param since events before it are no longer on the bus: they stay as they are
   * @param upTo last id before the rebuild began
   */
  reconcile: (since: Date, upTo: number): Promise<Reconciled> =>
    db.transaction(async (tx) => {
      // Who took the place of a placeholder user (ADR 67) is in no event.
      await tx.query(sql`
        update ${scratch} r set author_id = e.author_id from activity_events e
        where r.created_at = e.created_at and r.cause = e.cause and e.imported and r.imported`);
      const removed = await tx.query(sql`
        delete from activity_events e where e.created_at >= ${since}::timestamptz and e.id <= ${upTo}
          and not exists (select 1 from ${scratch} r where r.created_at = e.created_at and r.cause = e.cause) returning 1`);
      const changed = await tx.query(sql`
        update activity_events e set (${columnsOf('')}) = row(${columnsOf('r.')})
        from ${scratch} r
        where r.created_at = e.created_at and r.cause = e.cause and e.id <= ${upTo}
          and (${columnsOf('e.', '::text')}) is distinct from (${columnsOf('r.', '::text')})
        returning 1`);
      const added = await tx.query(sql`
        insert into activity_events (cause, created_at, ${columnsOf('')})
        select cause, created_at, ${columnsOf('')} from ${scratch} order by id
        on conflict (created_at, cause) do nothing returning 1`);
      await tx.query(sql`drop table ${scratch}`);
      return { added: added.length, changed: changed.length, removed: removed.length };
    }),
});
