import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { TargetOfTrain, TestedCars } from '../../pipelines';

/** Cars, and the target branches of trains that stopped themselves, as pipelines find them. */
export const testedCars: TestedCars = {
  async trainOf(tx, pipelineId) {
    const row = await tx.one<{ trainId: number }>(sql`
      select train_id as "trainId" from merge_train_cars
      where pipeline_id = ${pipelineId} and status in ('idle', 'stale', 'fresh')
      union all select id from merge_trains where probe_pipeline_id = ${pipelineId} limit 1`);
    return row?.trainId;
  },

  async lockTrains(tx, pipelineId) {
    await tx.query(sql`
      select id from merge_trains
      where id in (select train_id from merge_train_cars where pipeline_id = ${pipelineId}) or probe_pipeline_id = ${pipelineId}
      order by id for no key update`);
  },
};

/** Finds the target branch of a train. */
export const targetOfTrain =
  (db: Database): TargetOfTrain =>
  async (projectId, trainId) => {
    const row = await db.one<{ targetBranch: string }>(sql`
      select target_branch as "targetBranch" from merge_trains where id = ${trainId} and project_id = ${projectId}`);
    return row?.targetBranch;
  };
