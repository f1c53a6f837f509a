import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';

/** The newest pipeline of a commit, as a commit shows it. */
export interface NewestPipeline {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly sha: string;
  readonly ref: string;
  readonly status: string;
  readonly source: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Pipelines by their commits. */
export const commitPipelineStore = (db: Database) => ({
  /** The newest pipeline of a commit; undefined when it has none. */
  newest: (projectId: number, sha: string): Promise<NewestPipeline | undefined> =>
    db.one(
      named(
        'newest_pipeline_of_commit',
        sql`select id, iid, project_id as "projectId", sha, ref, status, source, created_at as "createdAt", updated_at as "updatedAt"
          from pipelines where project_id = ${projectId} and sha = ${sha} order by id desc limit 1`,
      ),
    ),
});
