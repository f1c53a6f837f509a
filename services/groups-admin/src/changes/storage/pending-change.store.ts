import type { Database, Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { Owner, PendingChange } from '../domain/pending-change';

/** Notices of it wake those who work off events. */
export const pendingChannel = 'switchyard_pending_changes';

/** Longest reason that is kept, characters. */
const reasonLength = 2_000;

/** Events that wait, over the database. */
export const pendingChangeStore = (db: Database) => ({
  async add(
    tx: Tx,
    owner: Owner,
    { eventId, type, body }: Pick<PendingChange, 'eventId' | 'type' | 'body'>,
  ): Promise<void> {
    await tx.query(
      named(
        'pending_change_add',
        sql`insert into pending_changes (owner, event_id, type, body) values (${owner}, ${eventId}, ${type}, ${body})`,
      ),
    );
    tx.notify(pendingChannel);
  },

  onPending: (wake: () => void): (() => void) => db.notices.listen(pendingChannel, wake),

  async lease(owner: Owner, holder: string, leaseMs: number): Promise<'taken' | 'held' | 'idle'> {
    const [found] = await db.query<{ waits: boolean; taken: boolean }>(
      named(
        'change_queue_lease',
        sql`with waiting as (select 1 where exists (select from pending_changes where owner = ${owner})),
          taken as (
            insert into change_queues (owner, holder, leased_until)
            select ${owner}, ${holder}, now() + ${leaseMs}::int * interval '1 millisecond' from waiting
            on conflict (owner) do update set holder = excluded.holder, leased_until = excluded.leased_until
            where change_queues.holder = excluded.holder or change_queues.leased_until < now() returning owner)
          select exists (select from waiting) as waits, exists (select from taken) as taken`,
      ),
    );
    if (found?.taken) return 'taken';
    return found?.waits ? 'held' : 'idle';
  },

  async release(holder: string): Promise<void> {
    await db.query(sql`delete from change_queues where holder = ${holder}`);
  },

  oldest: (owner: Owner, limit: number): Promise<PendingChange[]> =>
    db.query<PendingChange>(
      named(
        'pending_change_oldest',
        sql`select id, event_id as "eventId", type, body, tries from pending_changes
          where owner = ${owner} order by id limit ${limit}::int`,
      ),
    ),

  async failed(id: number): Promise<void> {
    await db.query(sql`update pending_changes set tries = tries + 1 where id = ${id}::bigint`);
  },

  async passOver(owner: Owner, { id, eventId, type, body }: PendingChange, reason: string): Promise<void> {
    await db.query(sql`
      with gone as (delete from pending_changes where id = ${id}::bigint returning id)
      insert into passed_over_changes (event_id, owner, type, body, reason)
      select ${eventId}, ${owner}, ${type}, ${body}, ${reason.slice(0, reasonLength)} from gone
      on conflict (event_id) do nothing`);
  },

  async take(tx: Tx, ids: readonly number[]): Promise<boolean> {
    const rows = await tx.query(
      named('pending_change_take', sql`delete from pending_changes where id = any(${[...ids]}::bigint[]) returning id`),
    );
    return rows.length === ids.length;
  },

  backlog: (): Promise<{ owner: string; count: number; age: number }[]> =>
    db.query(sql`
      select owner, count(*)::int as count, extract(epoch from now() - min(created_at))::float8 as age
      from pending_changes group by owner`),
});
