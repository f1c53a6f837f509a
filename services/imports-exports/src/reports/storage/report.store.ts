import type { Database, Tx } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';
import { badRequest } from '@switchyard/errors';
import { maxReports, type NewReport, type Report, type ReportedPipeline } from '../domain/report';
import { reportMeasurements } from './report-measurement.store';

const columns =
  raw(`id, project_id as "projectId", pipeline_id as "pipelineId", job_id as "jobId", file_name as "fileName",
  blob, size, coalesce(text_size, size) as "textSize", encode(sha256, 'hex') as sha256, components, created_at as "createdAt"`);

/** Makes the blobs of reports that are gone due when no export can be reading them any more. */
const remainForAnHour = raw(`
  insert into blob_remains (blob, due_at) select blob, now() + interval '1 hour' from gone on conflict (blob) do nothing`);

const daysAgo = (days: number): Sql => sql`now() - make_interval(days => ${days}::int)`;

/** Opens the store. */
export const reportStore = (db: Database) => ({
  async add(
    tx: Tx,
    { projectId, pipelineId, jobId, fileName, blob, size, textSize, sha256, components, authorId }: NewReport,
  ): Promise<Report | undefined> {
    // One after another for a pipeline, so that the number holds.
    await tx.query(sql`select pg_advisory_xact_lock(${pipelineId})`);
    const replaced = await tx.query(sql`
      with gone as (
        delete from dependency_reports
        where pipeline_id = ${pipelineId} and job_id = ${jobId} and file_name = ${fileName} returning blob)
      ${remainForAnHour} returning 1`);
    const [counted] = await tx.query<{ count: number }>(
      sql`select count(*) from dependency_reports where pipeline_id = ${pipelineId}`,
    );
    if (replaced.length === 0 && (counted?.count ?? 0) >= maxReports)
      throw badRequest(`a pipeline has at most ${maxReports} reports`);
    const remaining = await tx.query(sql`delete from blob_remains where blob = ${blob} returning 1`);
    if (remaining.length === 0) return undefined;
    await reportMeasurements.measureSoon(tx, projectId);
    return tx.one<Report>(sql`
      insert into dependency_reports (project_id, pipeline_id, job_id, file_name, blob, size, text_size, sha256, components, author_id)
      values (${projectId}, ${pipelineId}, ${jobId}, ${fileName}, ${blob}, ${size}, ${textSize}, decode(${sha256}, 'hex'),
        ${components}, ${authorId})
      returning ${columns}`);
  },

  ofPipelines: (pipelineIds: readonly number[]): Promise<Report[]> =>
    db.query<Report>(sql`
      select ${columns} from dependency_reports where pipeline_id = any(${[...pipelineIds]}::bigint[])
      order by pipeline_id, file_name collate "C", job_id`),

  oldPipelines: (
    days: number,
    { projectId, pipelineId }: ReportedPipeline,
    limit: number,
  ): Promise<ReportedPipeline[]> =>
    db.query<ReportedPipeline>(sql`
      select project_id as "projectId", pipeline_id as "pipelineId" from dependency_reports
      where (project_id, pipeline_id) > (${projectId}, ${pipelineId}) group by project_id, pipeline_id
      having max(created_at) <= ${daysAgo(days)} order by project_id, pipeline_id limit ${limit}`),

  removeOld: (days: number, projectId: number, pipelineIds: readonly number[]): Promise<number> =>
    db.transaction(async (tx) => {
      const rows = await tx.query(sql`
        with gone as (
          delete from dependency_reports
          where pipeline_id = any(${[...pipelineIds]}::bigint[]) and created_at <= ${daysAgo(days)} returning blob)
        ${remainForAnHour} returning 1`);
      if (rows.length > 0) await reportMeasurements.measureSoon(tx, projectId);
      return rows.length;
    }),

  async removeOrphans(limit: number): Promise<number> {
    const rows = await db.query(sql`
      with gone as (
        delete from dependency_reports where id in (
          select r.id from directory.projects p join dependency_reports r on r.project_id = p.id
          where p.deleted_at is not null limit ${limit}) returning blob)
      insert into blob_remains (blob, due_at) select blob, now() from gone
      on conflict (blob) do update set due_at = now() returning 1`);
    return rows.length;
  },
});
