import type { Database, Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { accessLevelOfUser } from '@switchyard/directory';
import { enqueueJobs } from '../../jobs';
import type { HoldReason, Signal } from '../domain/merge-train';
import { decideBuilt, decideNews, decideSignals } from '../domain/merge-train-change';

import type { BuiltCar, StoredCar, StoredTrain, TrainRights } from '../domain/stored-train';
import { carOf } from './merge-train.change';
import { active, loadTrain, settingsDigest } from './merge-train.row';
import { changeTrain, trainChannel } from './merge-train.save';

/** Trains that one sweep attends to: the others are due in the next one. */
const sweptTrains = 1_000;

/** The tables of merge trains. Every change goes through the state machine under the lock of the train's row. */
export const mergeTrainStore = (db: Database) => ({
  /** A train with its cars and what their pipelines report; undefined when there is none. */
  load: (trainId: number): Promise<StoredTrain | undefined> => loadTrain(db, trainId, false),

  /**
   * A target branch was moved to `sha`: its train, if it has cars and did not do that itself, reads the branch again.
   */
  async targetMoved(projectId: number, targetBranch: string, sha: string): Promise<void> {
    await db.transaction(async (tx) => {
      const row = await tx.one<{ id: number }>(sql`
        update merge_trains t set target_moves = target_moves + 1
        where t.project_id = ${projectId} and t.target_branch = ${targetBranch} and t.base_sha is distinct from ${sha}
          and exists (select 1 from merge_train_cars c where c.train_id = t.id and c.status in ${active})
        returning id`);
      if (row !== undefined) await enqueueJobs(tx, [{ kind: 'merge_train', trainId: row.id }]);
    });
  },

  /**
   * The target branch was read, after `moves` of it had been reported. A deleted branch is not reported here: its cars
   * are removed one by one.
   */
  targetRead: (trainId: number, sha: string, moves: number | undefined): Promise<void> =>
    db.transaction(async (tx) => {
      await changeTrain(tx, trainId, (stored) => decideSignals(stored, [{ kind: 'target_read', sha }]));
      if (moves !== undefined) {
        await tx.query(sql`
          update merge_trains set target_seen = greatest(target_seen, ${moves}::bigint) where id = ${trainId}`);
      }
    }),

  /**
   * Saves what the pipelines report and what time brings about, but no removal.
   * @returns whether that changed anything
   */
  news: (trainId: number, now: Date): Promise<boolean> =>
    db.transaction(async (tx) => {
      const decision = await changeTrain(tx, trainId, (stored) => decideNews(stored, now), undefined, now);
      return decision !== undefined;
    }),

  /**
   * A car was built: points its ref at the commit and opens its pipeline, unless the train has changed since.
   * `pointRef` runs under the lock of the train: a late worker would otherwise point the ref at a commit that is not
   * tested any more.
   * @returns whether the build was accepted
   */
  built: (
    trainId: number,
    carId: number,
    build: { onto: string; sha: string },
    written: BuiltCar,
    pointRef: (tx: Tx) => Promise<void>,
  ): Promise<boolean> =>
    db.transaction(async (tx) => {
      const decision = await changeTrain(tx, trainId, (stored) => decideBuilt(stored, carId, build, written));
      if (decision === undefined) return false;
      await pointRef(tx);
      return true;
    }),

  /**
   * A car cannot be built on a commit: it waits until another one is ahead of it, or leaves when that has landed.
   * @returns whether that was news
   */
  held: (trainId: number, carId: number, onto: string, reason: HoldReason): Promise<boolean> =>
    db.transaction(async (tx) => {
      const signal: Signal = { kind: 'not_buildable', carId, onto, reason };
      return (await changeTrain(tx, trainId, (stored) => decideSignals(stored, [signal]))) !== undefined;
    }),

  /** Notes that everything was done for a train, up to `dueAt`, under the settings that were read. */
  async attended(trainId: number, settings: string, dueAt: Date | undefined): Promise<void> {
    await db.query(sql`
      update merge_trains set settings_digest = ${settings}, due_at = ${dueAt ?? null}
      where id = ${trainId} and (settings_digest, due_at) is distinct from (${settings}, ${dueAt ?? null}::timestamptz(3))`);
    db.notices.notify(trainChannel, String(trainId));
  },

  /** Counts that building a car has failed; returns how often in a row. */
  async buildFailed(carId: number): Promise<number> {
    const row = await db.one<{ failures: number }>(sql`
      update merge_train_cars set build_failures = build_failures + 1 where id = ${carId} returning build_failures as failures`);
    return row?.failures ?? 0;
  },

  /** Whether the source branch of a car is being moved, or was and its merge request has not been updated. */
  async isBeingPushed({
    mergeRequestId,
    sourceProjectId,
    sourceBranch,
  }: Pick<StoredCar, 'mergeRequestId' | 'sourceProjectId' | 'sourceBranch'>): Promise<boolean> {
    const rows = await db.query(sql`
      (select 1 from ref_change_intents
        where project_id = ${sourceProjectId} and ref = ${`refs/heads/${sourceBranch}`}
          and (state = 'open' or (state = 'done' and handled_at is null)) limit 1)
      union all
      select 1 from jobs where kind = 'follow_source' and key = ${String(mergeRequestId)}`);
    return rows.length > 0;
  },

  /**
   * Trains for which something is due that no event announced: their time has come, or their project's settings have
   * changed since they were attended to. One statement, whatever the number of cars.
   */
  async due(): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select t.id from merge_trains t
      join directory.projects p on p.id = t.project_id join directory.namespaces n on n.id = p.namespace_id
      where exists (select 1 from merge_train_cars c where c.train_id = t.id and c.status in ${active})
        and (t.due_at <= now() or t.due_at is null or t.settings_digest is distinct from ${settingsDigest} or p.archived
          or not p.merge_trains_enabled or t.target_moves <> t.target_seen
          or exists (select 1 from merge_train_cars c where c.train_id = t.id and c.status = 'merging'))
      union select t.id from merge_trains t join directory.projects p on p.id = t.project_id
        join directory.namespaces n on n.id = p.namespace_id
      where t.control_state <> 'running' and t.control_until <= now() and not p.archived and p.merge_trains_enabled
        and p.deleted_at is null
      order by 1 limit ${sweptTrains}`);
    return rows.map(({ id }) => id);
  },

  /** Trains with cars and with ids above `after`, ascending, at most `limit`: one statement. */
  rights: (after: number, limit: number): Promise<TrainRights[]> =>
    db.query(
      named(
        'merge_train_rights',
        sql`select t.id, t.project_id as "projectId", t.target_branch as "targetBranch", held.users
          from merge_trains t cross join lateral (
            select json_agg(json_build_object('admin', coalesce(u.admin, false),
              'level', ${accessLevelOfUser(sql`t.project_id`)})) as users
            from (select distinct c.user_id from merge_train_cars c where c.train_id = t.id and c.status in ${active}) c
            left join directory.users u
              on u.id = c.user_id and u.deleted_at is null and u.ghost_id is null and u.state = 'active') held
          where t.id > ${after} and held.users is not null order by t.id limit ${limit}`,
      ),
    ),

  /** Runs `work` while the merge request is on no train and cannot join one; not at all while it is on one. */
  async whileNotQueued(projectId: number, iid: number, work: (tx: Tx) => Promise<void>): Promise<void> {
    await db.transaction(async (tx) => {
      const mr = await tx.one<{ id: number }>(sql`
        select id from merge_requests where project_id = ${projectId} and iid = ${iid} for no key update`);
      if (mr === undefined || (await carOf(tx, mr.id)) === undefined) await work(tx);
    });
  },
});
