import type { Database, PageRequest } from '@switchyard/database';
import { listPage } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf, type Viewer } from '@switchyard/directory';
import { notFound } from '@switchyard/errors';
import type { Epic } from '../domain/epic';
import type { EpicDecision, LockedEpic, NewEpic } from '../domain/epic-change';
import type { EpicKey } from '../domain/epic-query';
import type { EpicView } from '../domain/epic-view';
import { readEpicView } from './epic.row';
import { changeEpic, openEpic } from './epic-change.store';

/** Opens the store of epics. */
export const epicStore = (db: Database) => ({
  view: (key: EpicKey, viewer: Viewer): Promise<EpicView | undefined> => readEpicView(db, key, viewer),

  create: (wanted: NewEpic): Promise<Epic> => db.transaction((tx) => openEpic(tx, wanted)),

  change: (
    id: number,
    actorId: number,
    decide: (locked: LockedEpic) => EpicDecision,
    options?: { readonly trees?: boolean },
  ): Promise<Epic> => db.transaction((tx) => changeEpic(tx, id, actorId, decide, options)),

  authoredBy: (authorId: number, after: number, limit: number): Promise<{ id: number }[]> =>
    db.query(sql`
      select e.id from epics e where e.author_id = ${authorId} and e.id > ${after} order by e.id limit ${limit}`),

  async removeOrphans(limit: number): Promise<number> {
    const row = await db.one<{ removed: number }>(sql`
      with gone as (select n.id from directory.namespaces n where n.deleted_at is not null),
      doomed as (select e.id from gone join epics e on e.group_id = gone.id limit ${limit}),
      reactions as (
        delete from award_emoji where awardable_type = 'Epic' and awardable_id in (select id from doomed)),
      removed as (delete from epics where id in (select id from doomed) returning 1),
      counters as (delete from epic_counters where group_id in (select id from gone) returning 1)
      select (select count(*) from removed)::int + (select count(*) from counters)::int as removed`);
    return row?.removed ?? 0;
  },

  async isSubscribed(id: number, userId: number): Promise<boolean> {
    const row = await db.one<{ subscribed: boolean }>(sql`
      select coalesce(
        (select subscribed from epic_subscriptions where epic_id = ${id} and user_id = ${userId}),
        exists (select 1 from epic_participants where epic_id = ${id} and user_id = ${userId})) as subscribed`);
    return row?.subscribed ?? false;
  },

  async setSubscription(id: number, userId: number, subscribed: boolean): Promise<boolean> {
    // Decided by the row itself: of several concurrent requests, one changes it.
    const row = await db.one<{ alive: boolean; changed: boolean }>(sql`
      with epic as (select id from epics where id = ${id} for key share),
      said as (
        insert into epic_subscriptions as said (epic_id, user_id, subscribed)
        select e.id, ${userId}, ${subscribed} from epic e
        where exists (select 1 from epic_subscriptions where epic_id = e.id and user_id = ${userId})
          or exists (select 1 from epic_participants where epic_id = e.id and user_id = ${userId}) <> ${subscribed}::boolean
        on conflict (epic_id, user_id) do update set subscribed = excluded.subscribed where said.subscribed <> excluded.subscribed
        returning 1)
      select exists (select 1 from epic) as alive, exists (select 1 from said) as changed`);
    if (row?.alive !== true) throw notFound();
    return row.changed;
  },

  async participants(epicId: number, internal: boolean, request: PageRequest) {
    const { rows, page } = await listPage({
      db,
      name: 'list_epic_participants',
      select: userColumns('shown'),
      from: sql`epic_participants ep ${userJoin('shown', sql`ep.user_id`)}`,
      countFrom: sql`epic_participants ep`,
      where: [sql`ep.epic_id = ${epicId}`, ...(internal ? [] : [sql`not ep.internal`])],
      orders: { id: [{ name: 'id', expression: sql`ep.user_id`, type: 'bigint' }] },
      request,
      count: true,
    });
    return { users: rows.flatMap((row) => userOf(row, 'shown') ?? []), page };
  },
});
