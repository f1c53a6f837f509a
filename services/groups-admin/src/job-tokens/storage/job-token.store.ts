import { type Database, isForeignKeyViolation, type Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/** A job token to store. */
export interface NewJobToken {
  readonly projectId: number;
  readonly pipelineId: number;
  readonly run: number;
  readonly userId: number;
  readonly digest: Buffer;
  readonly expiresAt: Date;
}

/** Days for which the end of a run is remembered; a request to issue a token takes seconds. */
const keepDays = 2;

/** Job tokens in the database. */
export const jobTokenStore = (db: Database) => ({
  /**
   * Stores a token unless its run has ended. The row of the pipeline is locked until the commit, so an end that comes at
   * the same time either is seen here or deletes the token.
   */
  async create(token: NewJobToken): Promise<'stored' | 'ended' | 'missing'> {
    try {
      return await db.transaction(async (tx) => {
        const pipeline = await tx.one<{ ended_run: number }>(sql`
          insert into job_token_pipelines (pipeline_id) values (${token.pipelineId})
          on conflict (pipeline_id) do update set updated_at = now() returning ended_run`);
        if (pipeline === undefined || pipeline.ended_run >= token.run) return 'ended';
        await tx.query(sql`
          insert into job_tokens (project_id, pipeline_id, run, user_id, token_digest, expires_at)
          values (${token.projectId}, ${token.pipelineId}, ${token.run}, ${token.userId}, ${token.digest}, ${token.expiresAt})`);
        return 'stored';
      });
    } catch (error) {
      if (isForeignKeyViolation(error)) return 'missing';
      throw error;
    }
  },

  /** Ends the tokens of a run and of those before it, now and for requests that are still to come. */
  async end(tx: Pick<Tx, 'query'>, pipelineId: number, run: number): Promise<void> {
    await tx.query(sql`
      insert into job_token_pipelines as known (pipeline_id, ended_run) values (${pipelineId}, ${run})
      on conflict (pipeline_id) do update
        set ended_run = greatest(known.ended_run, excluded.ended_run), updated_at = now()`);
    await tx.query(sql`delete from job_tokens where pipeline_id = ${pipelineId} and run <= ${run}`);
  },

  /** Deletes up to `limit` tokens that have expired, and forgets as many pipelines without one; returns how many. */
  async prune(limit: number): Promise<number> {
    const tokens = await db.query(sql`
      delete from job_tokens where id in (
        select id from job_tokens where expires_at <= now() order by expires_at limit ${limit} for update skip locked)
      returning 1`);
    const pipelines = await db.query(sql`
      delete from job_token_pipelines where pipeline_id in (
        select p.pipeline_id from job_token_pipelines p
        where p.updated_at < now() - ${keepDays} * interval '1 day'
          and not exists (select from job_tokens t where t.pipeline_id = p.pipeline_id)
        order by p.updated_at limit ${limit} for update skip locked)
      returning 1`);
    return tokens.length + pipelines.length;
  },
});
