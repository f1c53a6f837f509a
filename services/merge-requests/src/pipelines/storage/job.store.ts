import { type Database, listPage, type OrderColumn, type PageInfo, type PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { JobFilter, JobView } from '../domain/pipeline';
import { statusSelect, toPipeline, toStatusView } from './pipeline.row';

const id: OrderColumn = { name: 'id', expression: sql`cs.id`, type: 'bigint' };

const select = sql`${statusSelect}, to_jsonb(pl) as pipeline`;
const from = sql`commit_statuses cs join pipelines pl on pl.id = cs.pipeline_id`;

/** Columns of a pipeline that JSON has as texts. */
const times = ['committed_at', 'started_at', 'finished_at', 'created_at', 'updated_at'];

const toJob = (row: Record<string, unknown>): JobView => {
  const pipeline = row.pipeline as Record<string, unknown>;
  const dates = times.map((name) => [name, pipeline[name] === null ? null : new Date(pipeline[name] as string)]);
  return { ...toStatusView(row), pipeline: toPipeline({ ...pipeline, ...Object.fromEntries(dates) }) };
};

/** Commit statuses with their pipelines. */
export const jobStore = (db: Database) => ({
  /** A page of jobs, newest first. */
  async list(filter: JobFilter, request: PageRequest): Promise<{ rows: JobView[]; page: PageInfo }> {
    const { rows, page } = await listPage({
      db,
      name: 'list_jobs',
      select,
      from,
      where: [
        sql`cs.project_id = ${filter.projectId}`,
        ...(filter.pipelineId === undefined ? [] : [sql`cs.pipeline_id = ${filter.pipelineId}`]),
        ...(filter.retried ? [] : [sql`not cs.retried`]),
        ...(filter.statuses === undefined ? [] : [sql`cs.status = any(${[...filter.statuses]}::text[])`]),
      ],
      orders: { id: [id] },
      request,
      count: true,
      countFrom: sql`commit_statuses cs`,
    });
    return { rows: rows.map(toJob), page };
  },

  async find(projectId: number, jobId: number): Promise<JobView | undefined> {
    const row = await db.one(
      sql`select ${select} from ${from} where cs.id = ${jobId} and cs.project_id = ${projectId}`,
    );
    return row && toJob(row);
  },

  locate: (jobId: number): Promise<{ projectId: number; pipelineId: number } | undefined> =>
    db.one(sql`select project_id as "projectId", pipeline_id as "pipelineId" from commit_statuses where id = ${jobId}`),
});
