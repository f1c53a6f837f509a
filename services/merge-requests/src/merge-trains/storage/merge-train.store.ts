import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { enqueueJobs } from '../../jobs';
import { insertPipeline } from '../../pipelines';
import { decideBuilt, decidePipelineLost, decideSignals } from '../domain/merge-train-change';
import type { BuiltCar, StoredTrain } from '../domain/stored-train';
import { carOf } from './merge-train.change';
import { active, loadTrain } from './merge-train.row';
import { changeTrain } from './merge-train.save';

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

  /** A car's pipeline was deleted: the car is built again. */
  pipelineLost: (trainId: number, carId: number): Promise<void> =>
    db.transaction(async (tx) => {
      await changeTrain(tx, trainId, (stored) => decidePipelineLost(stored, carId));
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
    pointRef: () => Promise<void>,
  ): Promise<boolean> =>
    db.transaction(async (tx) => {
      const decision = await changeTrain(tx, trainId, (stored) => decideBuilt(stored, carId, build, written));
      if (decision === undefined) return false;
      const pipeline = await insertPipeline(tx, decision.pipeline);
      await tx.query(sql`update merge_train_cars set pipeline_id = ${pipeline.id} where id = ${carId}`);
      await pointRef();
      return true;
    }),

  /** Counts that building a car has failed; returns how often in a row. */
  async buildFailed(carId: number): Promise<number> {
    const row = await db.one<{ failures: number }>(sql`
      update merge_train_cars set build_failures = build_failures + 1 where id = ${carId} returning build_failures as failures`);
    return row?.failures ?? 0;
  },

  /** Whether a branch is being moved, or was and its merge requests have not been updated. */
  async isBeingPushed(projectId: number, branch: string): Promise<boolean> {
    const rows = await db.query(sql`
      select 1 from ref_change_intents where project_id = ${projectId} and ref = ${`refs/heads/${branch}`}
        and (state = 'open' or (state = 'done' and handled_at is null)) limit 1`);
    return rows.length > 0;
  },

  /** Trains with cars. */
  async running(): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select distinct train_id as id from merge_train_cars where status in ${active} order by 1`);
    return rows.map(({ id }) => id);
  },

  /** Runs `work` while the merge request is on no train and cannot join one; not at all while it is on one. */
  async whileNotQueued(projectId: number, iid: number, work: () => Promise<void>): Promise<void> {
    await db.transaction(async (tx) => {
      const mr = await tx.one<{ id: number }>(sql`
        select id from merge_requests where project_id = ${projectId} and iid = ${iid} for no key update`);
      if (mr === undefined || (await carOf(tx, mr.id)) === undefined) await work();
    });
  },
});
