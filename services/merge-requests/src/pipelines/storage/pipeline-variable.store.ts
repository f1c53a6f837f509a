import type { Database, Tx } from '@switchyard/database';
import { join, sql } from '@switchyard/database/sql';
import type { PipelineVariable } from '../domain/pipeline-variable';

/** Stores the variables of a new pipeline in its transaction. */
export async function insertVariables(
  tx: Tx,
  pipelineId: number,
  variables: readonly PipelineVariable[],
): Promise<void> {
  if (variables.length === 0) return;
  const values = variables.map(({ key, value, type }) => sql`(${pipelineId}, ${key}, ${value}, ${type})`);
  await tx.query(sql`insert into pipeline_variables (pipeline_id, key, value, variable_type) values ${join(values)}`);
}

/** The variables of a pipeline, in the order in which they were given. */
export const variablesOf = (db: Database, pipelineId: number): Promise<PipelineVariable[]> =>
  db.query(sql`
    select key, value, variable_type as type from pipeline_variables where pipeline_id = ${pipelineId} order by id`);
