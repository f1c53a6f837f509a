import { sql } from '@switchyard/database/sql';
import type { TestedCars } from '../../pipelines';

/** Cars as pipelines find them. */
export const testedCars: TestedCars = {
  async trainOf(tx, pipelineId) {
    const row = await tx.one<{ trainId: number }>(sql`
      select train_id as "trainId" from merge_train_cars
      where pipeline_id = ${pipelineId} and status in ('idle', 'stale', 'fresh')`);
    return row?.trainId;
  },
};
