import type { Database } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import type { PipelineCommit, PipelineRef } from '../domain/pipeline-commit';

const columns = raw('i.project_id as "projectId", i.id as "pipelineId", i.sha, i.created_at as "createdAt"');

/** Opens the store. */
export const pipelineCommitStore = (db: Database) => ({
  find: (projectId: number, pipelineId: number): Promise<PipelineCommit | undefined> =>
    db.one<PipelineCommit>(
      sql`select ${columns} from pipelines i where i.project_id = ${projectId} and i.id = ${pipelineId}`,
    ),

  latest: (projectIds: readonly number[]): Promise<PipelineCommit[]> =>
    db.query<PipelineCommit>(sql`
      select ${columns} from directory.projects p
      cross join lateral (
        select * from pipelines where project_id = p.id and ref = p.default_branch and not tag order by id desc limit 1) i
      where p.id = any(${[...projectIds]}::bigint[]) and p.deleted_at is null`),

  newestOfRefs: (projectId: number, pipelineIds: readonly number[]): Promise<PipelineRef[]> =>
    db.query<PipelineRef>(sql`
      select i.id as "pipelineId", i.ref, i.tag from pipelines i
      where i.project_id = ${projectId} and i.id = any(${[...pipelineIds]}::bigint[]) and not exists (
        select 1 from pipelines n where n.project_id = i.project_id and n.ref = i.ref and n.tag = i.tag and n.id > i.id)`),
});
