import type { Database, Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { Owner, PendingChange } from '../domain/pending-change';

/** Notices of it wake those who work off events. */
export const pendingChannel = 'switchyard_pending_changes';

/** Longest reason that is kept, characters. */
const reasonLength = 2_000;

const columns = sql`p.id, p.event_id as "eventId", p.type, p.body, p.project_id as "projectId", p.tries`;

/** Events that wait, over the database. */
export const pendingChangeStore = (db: Database) => ({
  async add(
    tx: Tx,
    owner: Owner,
    { eventId, type, body, projectId }: Omit<PendingChange, 'id' | 'tries'>,
  ): Promise<void> {
    await tx.query(
      named(
        'pending_change_add',
        sql`insert into pending_changes (owner, event_id, type, body, project_id)
          values (${owner}, ${eventId}, ${type}, ${body}, ${projectId}::bigint)`,
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

  oldest: (owner: Owner, after: number, limit: number): Promise<PendingChange[]> =>
    db.query<PendingChange>(
      named(
        'pending_change_oldest',
        sql`select ${columns} from pending_changes p
          where p.owner = ${owner} and p.id > ${after}::bigint
            and not exists (select from resting_changes r where r.owner = p.owner and r.project_id = p.project_id)
          order by p.id limit ${limit}::int`,
      ),
    ),

  async rest(tx: Tx, owner: Owner, away: ReadonlyMap<number, string>): Promise<void> {
    const rows = [...away].map(([projectId, part]) => ({ project_id: projectId, away: part }));
    await tx.query(
      named(
        'resting_change_add',
        sql`insert into resting_changes (owner, project_id, away)
          select ${owner}, project_id, away
          from json_to_recordset(${JSON.stringify(rows)}::json) as r (project_id bigint, away text)
          on conflict (owner, project_id) do update set away = excluded.away`,
      ),
    );
  },

  async resting(owner: Owner): Promise<{ away: string; event: PendingChange | undefined }[]> {
    const rows = await db.query<PendingChange & { away: string; waits: boolean }>(
      named(
        'resting_change_oldest',
        sql`select part.away, p.id is not null as waits, ${columns}
          from (select distinct away from resting_changes where owner = ${owner}) part
          left join lateral (
            select p.* from pending_changes p join resting_changes r on r.owner = p.owner and r.project_id = p.project_id
            where p.owner = ${owner} and r.away = part.away order by p.id limit 1) p on true`,
      ),
    );
    return rows.map(({ away, waits, ...event }) => ({ away, event: waits ? event : undefined }));
  },

  async wake(owner: Owner, away: string): Promise<void> {
    await db.query(sql`delete from resting_changes where owner = ${owner} and away = ${away}`);
  },

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
