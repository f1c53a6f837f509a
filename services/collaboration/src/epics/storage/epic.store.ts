import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { groupByPath, type Viewer } from '@switchyard/directory';
import { participantList, subscriptionStore } from '../../issues';
import type { Epic } from '../domain/epic';
import type { EpicDecision, LockedEpic, NewEpic } from '../domain/epic-change';
import type { EpicKey } from '../domain/epic-query';
import type { EpicView } from '../domain/epic-view';
import { readEpicView, readEpicViews } from './epic.row';
import { changeEpic, openEpic } from './epic-change.store';

/** Opens the store of epics. */
export const epicStore = (db: Database) => ({
  view: (key: EpicKey, viewer: Viewer): Promise<EpicView | undefined> => readEpicView(db, key, viewer),

  viewsByIds: (ids: readonly number[], viewer: Viewer): Promise<EpicView[]> => readEpicViews(db, ids, viewer),

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

  groupByPath: (path: string): Promise<number | undefined> => groupByPath(db, path),

  async removeOrphans(limit: number): Promise<number> {
    const row = await db.one<{ removed: number }>(sql`
      with gone as (select n.id from directory.namespaces n where n.deleted_at is not null),
      doomed as (select e.id from gone join epics e on e.group_id = gone.id limit ${limit}),
      reactions as (
        delete from award_emoji where awardable_type = 'Epic' and awardable_id in (select id from doomed)),
      noted as (
        update noteables set removed_at = now() where kind = 'Epic' and target_id in (select id from doomed) and removed_at is null),
      removed as (delete from epics where id in (select id from doomed) returning 1),
      counters as (delete from epic_counters where group_id in (select id from gone) returning 1)
      select (select count(*) from removed)::int + (select count(*) from counters)::int as removed`);
    return row?.removed ?? 0;
  },

  ...subscriptionStore(db, 'epic'),

  participants: participantList(db, 'epic').page,
});
