import type { SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { EndedPipeline, PipelineOutcome } from '../domain/pipeline-outcome';

/** The last outcome of each ref. */
export const pipelineOutcomes = {
  /**
   * Notes how a pipeline ended, unless a newer one of its ref has ended.
   * @returns the outcome before it; undefined when there is none, or a newer pipeline has ended
   */
  async note(tx: Tx, { id, projectId, ref, tag, outcome }: EndedPipeline): Promise<PipelineOutcome | undefined> {
    // `previous` is in the row: of two that end at once, the second sees the first.
    const [row] = await tx.query<{ previous: PipelineOutcome | null }>(sql`
      insert into pipeline_outcomes (project_id, ref, tag, pipeline_id, outcome)
      values (${projectId}, ${ref}, ${tag}, ${id}, ${outcome})
      on conflict (project_id, ref, tag) do update set previous = pipeline_outcomes.outcome, outcome = excluded.outcome,
        pipeline_id = excluded.pipeline_id, ended_at = now()
      where pipeline_outcomes.pipeline_id <= excluded.pipeline_id
      returning previous`);
    return row?.previous ?? undefined;
  },

  /** Forgets up to `limit` outcomes that are older than 90 days: a success after that is no fix. Returns how many. */
  async forget(db: SqlExecutor, limit: number): Promise<number> {
    const rows = await db.query(sql`
      delete from pipeline_outcomes where (project_id, ref, tag) in (
        select project_id, ref, tag from pipeline_outcomes where ended_at < now() - interval '90 days'
        order by ended_at limit ${limit}) returning 1`);
    return rows.length;
  },
};
