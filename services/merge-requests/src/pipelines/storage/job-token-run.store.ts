import type { Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { appendAllToOutbox, pipelineEvents, pipelineRunEndedId } from '@switchyard/events';

/**
 * Ends the runs of pipelines for which job tokens were issued, and publishes it: no token of them is good any more. Does
 * nothing for other pipelines.
 */
export async function endJobTokenRuns(tx: Tx, pipelineIds: readonly number[]): Promise<void> {
  if (pipelineIds.length === 0) return;
  const ended = await tx.query<{ id: number; project_id: number; run: number }>(sql`
    update pipelines set job_token_run = job_token_run + 1, job_tokens_issued = false
    where id = any(${[...pipelineIds]}::bigint[]) and job_tokens_issued
    returning id, project_id, job_token_run - 1 as run`);
  const occurredAt = new Date();
  await appendAllToOutbox(
    tx,
    pipelineEvents,
    ended.map(({ id, project_id: projectId, run }) => ({
      id: pipelineRunEndedId(id, run),
      payload: {
        pipelineId: id,
        projectId,
        occurredAt,
        pipeline: undefined,
        actorId: 0,
        fact: { $case: 'runEnded' as const, value: { run } },
      },
    })),
  );
}

/** Notes that job tokens are issued for the present run of a locked pipeline; returns the run. */
export async function beginJobTokens(tx: Tx, pipelineId: number): Promise<number> {
  const row = await tx.one<{ run: number }>(
    sql`update pipelines set job_tokens_issued = true where id = ${pipelineId} returning job_token_run as run`,
  );
  return row?.run ?? 0;
}
