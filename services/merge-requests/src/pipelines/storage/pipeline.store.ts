import { type Database, requireUnmodified, type Tx } from '@switchyard/database';
import { join, sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import { nextIid } from '../../iids';
import { enqueueJobs } from '../../jobs';
import {
  type CommitStatus,
  type CommitStatusView,
  isTrainRef,
  type NewPipeline,
  type Pipeline,
  type PipelineView,
  type ReportRefusal,
  type StatusReport,
} from '../domain/pipeline';
import {
  canCancel,
  cancelable,
  canRetry,
  decidePipeline,
  decideReport,
  type PipelineCause,
  reportTimes,
  retryable,
} from '../domain/pipeline-change';
import { type CommitStatusState, isFinished, type PipelineStatus, pipelineStatusOf } from '../domain/pipeline-status';
import type { PipelineVariable } from '../domain/pipeline-variable';
import { lockHead } from './head-lock';
import { beginJobTokens, endJobTokenRuns } from './job-token-run.store';
import { type PipelineFact, type PipelineFactInput, publishCreated, publishPipelineFacts } from './pipeline.events';
import type { HeadPipelines, PipelineFollowers } from './pipeline.followers';
import { pipelineLists } from './pipeline.list';
import { pipelineSelect, statusSelect, toCommitStatus, toPipeline, toPipelineView, toStatusView } from './pipeline.row';
import type { pipelineVariableStore } from './pipeline-variable.store';

/**
 * Makes a pipeline and the head pipeline of the merge requests it is about; one that tests a car of a train is no head
 * pipeline. `publishCreated` publishes it, for several at once where several are made.
 */
export async function insertPipeline(tx: Tx, pipeline: NewPipeline, followers?: HeadPipelines): Promise<Pipeline> {
  await lockHead(tx, pipeline.projectId, pipeline.sha, pipeline.ref);
  // The counter is the last lock of all: its holder waits for nothing (ADR 7).
  const heads = isTrainRef(pipeline.ref) || followers === undefined ? [] : await followers.lockHeads(tx, pipeline);
  const iid = await nextIid(tx, pipeline.projectId, 'pipelines');
  const row = await tx.one(sql`
    insert into pipelines (iid, project_id, sha, ref, tag, source, status, user_id, merge_request_id, committed_at)
    values (${iid}, ${pipeline.projectId}, ${pipeline.sha}, ${pipeline.ref}, ${pipeline.tag}, ${pipeline.source},
      ${pipeline.status ?? 'created'}, ${pipeline.userId}, ${pipeline.mergeRequestId ?? null}, ${pipeline.committedAt ?? null})
    returning *`);
  const made = toPipeline(row!);
  // The newest pipeline of its head is a merge request's head pipeline.
  if (heads.length > 0) await followers?.become(tx, heads, made.id);
  return made;
}

// `no key`: a merge request that takes this pipeline as its head needs a share of the row, and holds what we want next.
async function lockPipeline(tx: Tx, projectId: number, pipelineId: number): Promise<Pipeline> {
  const row = await tx.one(
    sql`select * from pipelines where id = ${pipelineId} and project_id = ${projectId} for no key update`,
  );
  if (row === undefined) throw notFound('Pipeline');
  return toPipeline(row);
}

/**
 * Cancels pipelines of cars that were built again or were removed. Their later reports are stored and change nothing
 * (D8).
 */
export async function cancelPipelines(tx: Tx, pipelineIds: readonly number[]): Promise<void> {
  if (pipelineIds.length === 0) return;
  const rows = await tx.query<{ old_status: PipelineStatus; lock_version: number } & Record<string, unknown>>(sql`
    with before as materialized (
      select id as before_id, status as old_status from pipelines
      where id = any(${[...pipelineIds]}::bigint[]) and status not in ('success', 'failed', 'canceled', 'skipped') order by id for no key update)
    update pipelines set status = 'canceled', finished_at = now(), updated_at = now(), lock_version = lock_version + 1,
      duration = case when started_at is null then null else greatest(0, round(extract(epoch from now() - started_at)))::int end
    from before where id = before_id returning pipelines.*, old_status`);
  const canceled = rows.map((row) => ({ pipeline: toPipeline(row), row }));
  await endJobTokenRuns(
    tx,
    canceled.flatMap(({ pipeline: { id, jobTokensIssued } }) => (jobTokensIssued ? id : [])),
  );
  const jobs = await cancelJobs(tx, pipelineIds, new Date());
  await publishPipelineFacts(
    tx,
    canceled.flatMap(({ pipeline, row: { old_status: oldStatus, lock_version: version } }) => {
      const by = { pipeline, actorId: 0, occurredAt: pipeline.updatedAt };
      return [...jobFacts(by, jobs), { ...by, fact: { kind: 'status_changed' as const, oldStatus, version } }];
    }),
  );
}

/** A job that has changed, and its status before; it had none when it is new. */
interface ChangedJob {
  readonly job: CommitStatus;
  readonly oldStatus: CommitStatusState | undefined;
}

/** The facts of those of some jobs that belong to a pipeline. */
const jobFacts = (by: Omit<PipelineFactInput, 'fact'>, jobs: readonly ChangedJob[]): PipelineFactInput[] =>
  jobs
    .filter(({ job }) => job.pipelineId === by.pipeline.id)
    .map((changed) => ({ ...by, fact: { kind: 'job_changed', ...changed } }));

/** Cancels the names of pipelines that have not finished. */
async function cancelJobs(tx: Tx, pipelineIds: readonly number[], now: Date): Promise<ChangedJob[]> {
  const rows = await tx.query<{ old_status: CommitStatusState } & Record<string, unknown>>(sql`
    with before as materialized (
      select id as before_id, status as old_status from commit_statuses
      where pipeline_id = any(${[...pipelineIds]}::bigint[]) and not retried and status = any(${[...cancelable]}::text[])
      order by id for no key update)
    update commit_statuses set status = 'canceled', finished_at = ${now}, updated_at = ${now}
    from before where id = before_id returning commit_statuses.*, old_status`);
  return rows
    .map((row) => ({ job: toCommitStatus(row), oldStatus: row.old_status }))
    .sort((one, other) => one.job.id - other.job.id);
}

/**
 * Decides about a locked pipeline and saves it, with what follows for the merge requests whose head it is. A pipeline
 * of a car that was built again or removed stays as it is (D8).
 * @returns the pipeline after the change, with the fact that is to be published where its status is another
 */
async function change(
  tx: Tx,
  { heads, cars }: PipelineFollowers,
  before: Pipeline,
  cause: PipelineCause & { readonly actorId: number },
): Promise<{ readonly pipeline: Pipeline; readonly facts: readonly PipelineFact[] }> {
  const trainId = isTrainRef(before.ref) ? await cars.trainOf(tx, before.id) : undefined;
  if (isTrainRef(before.ref) && trainId === undefined) return { pipeline: before, facts: [] };
  const { status, times, notifies, failed } = decidePipeline(before, cause);
  const { actorId, retriedAs, now } = cause;
  const row = await tx.one<{ lock_version: number } & Record<string, unknown>>(sql`
    update pipelines set status = ${status}, started_at = ${times.startedAt ?? null}, finished_at = ${times.finishedAt ?? null},
      duration = ${times.duration ?? null}, queued_duration = ${times.queuedDuration ?? null}, updated_at = ${now},
      lock_version = lock_version + 1,
      coverage = (select round(avg(coverage), 2) from commit_statuses where pipeline_id = ${before.id} and not retried)
    where id = ${before.id} returning *`);
  if (before.jobTokensIssued && (isFinished(status) || retriedAs !== undefined)) await endJobTokenRuns(tx, [before.id]);
  if (notifies) await heads.changed(tx, { pipelineId: before.id, status, failed, retriedAs, actorId, now });
  if (trainId !== undefined) await enqueueJobs(tx, [{ kind: 'merge_train', trainId }]);
  const fact = { kind: 'status_changed', oldStatus: before.status, version: row!.lock_version } as const;
  return { pipeline: toPipeline(row!), facts: status === before.status ? [] : [fact] };
}

async function statusFromNames(tx: Tx, pipelineId: number): Promise<PipelineStatus | undefined> {
  return pipelineStatusOf(
    await tx.query<{ status: CommitStatusState; allowFailure: boolean }>(sql`
      select status, allow_failure as "allowFailure" from commit_statuses where pipeline_id = ${pipelineId} and not retried`),
  );
}

const publishChange = (
  tx: Tx,
  { pipeline, facts }: Awaited<ReturnType<typeof change>>,
  jobs: readonly ChangedJob[],
  cause: Pick<PipelineFactInput, 'actorId' | 'occurredAt'>,
): Promise<void> => {
  const by = { ...cause, pipeline };
  return publishPipelineFacts(tx, [...jobFacts(by, jobs), ...facts.map((fact) => ({ ...by, fact }))]);
};

async function insertStatus(tx: Tx, pipeline: Pipeline, report: StatusReport, now: Date): Promise<CommitStatus> {
  const { startedAt, finishedAt } = reportTimes(undefined, report.state, now);
  const row = await tx.one(sql`
    insert into commit_statuses (pipeline_id, project_id, sha, ref, name, status, target_url, description, coverage, user_id,
      created_at, updated_at, started_at, finished_at)
    values (${pipeline.id}, ${pipeline.projectId}, ${pipeline.sha}, ${pipeline.ref}, ${report.name}, ${report.state},
      ${report.targetUrl ?? null}, ${report.description ?? null}, ${report.coverage ?? null}, ${report.userId}, ${now}, ${now},
      ${startedAt ?? null}, ${finishedAt ?? null})
    returning *`);
  return toCommitStatus(row!);
}

async function updateStatus(tx: Tx, current: CommitStatus, report: StatusReport, now: Date): Promise<CommitStatus> {
  const { startedAt, finishedAt } = reportTimes(current.status, report.state, now);
  const row = await tx.one(sql`
    update commit_statuses set status = ${report.state}, updated_at = ${now}, user_id = ${report.userId},
      target_url = coalesce(${report.targetUrl ?? null}::text, target_url),
      description = coalesce(${report.description ?? null}::text, description),
      coverage = coalesce(${report.coverage ?? null}::numeric, coverage),
      started_at = coalesce(started_at, ${startedAt ?? null}::timestamptz),
      finished_at = coalesce(finished_at, ${finishedAt ?? null}::timestamptz)
    where id = ${current.id} returning *`);
  return toCommitStatus(row!);
}

/** Pipelines as other areas read them. */
export const pipelineReader = (db: Database) => ({
  async find(projectId: number, pipelineId: number): Promise<PipelineView | undefined> {
    const row = await db.one(
      sql`select ${pipelineSelect} from pipelines pl where pl.id = ${pipelineId} and pl.project_id = ${projectId}`,
    );
    return row === undefined ? undefined : toPipelineView(row);
  },
});

/** The tables of pipelines and commit statuses. */
export const pipelineStore = (
  db: Database,
  followers: PipelineFollowers,
  variables: ReturnType<typeof pipelineVariableStore>,
) => ({
  ...pipelineLists(db),
  ...pipelineReader(db),

  /** The variables that it was made with, in the order in which they were given. */
  variables: (pipelineId: number): Promise<PipelineVariable[]> => variables.of(pipelineId),

  async newestOfRef(projectId: number, ref: string): Promise<PipelineView | undefined> {
    const row = await db.one(sql`
      select ${pipelineSelect} from pipelines pl where pl.project_id = ${projectId} and pl.ref = ${ref} order by pl.id desc limit 1`);
    return row === undefined ? undefined : toPipelineView(row);
  },

  async projectOf(pipelineId: number): Promise<number | undefined> {
    return (await db.one<{ id: number }>(sql`select project_id as id from pipelines where id = ${pipelineId}`))?.id;
  },

  /** Ref of the newest pipeline of a commit. */
  async refOfCommit(projectId: number, sha: string): Promise<{ ref: string; tag: boolean } | undefined> {
    return db.one(sql`
      select ref, tag from pipelines where project_id = ${projectId} and sha = ${sha} order by id desc limit 1`);
  },

  /** Makes a pipeline that waits for reports, and makes it the head pipeline of the merge requests it is about. */
  create: (pipeline: NewPipeline, given: readonly PipelineVariable[] = []): Promise<Pipeline> =>
    db.transaction(async (tx) => {
      const made = await insertPipeline(tx, pipeline, followers.heads);
      await publishCreated(tx, [made]);
      await variables.insert(tx, made.id, given);
      return made;
    }),

  skip: (pipeline: NewPipeline): Promise<void> =>
    db.transaction(async (tx) => {
      const { projectId, sha, ref, tag } = pipeline;
      await lockHead(tx, projectId, sha, ref);
      const there = await tx.one(sql`
        select 1 from pipelines where project_id = ${projectId} and sha = ${sha} and ref = ${ref} and tag = ${tag} limit 1`);
      if (there === undefined) await insertPipeline(tx, { ...pipeline, status: 'skipped' }, followers.heads);
    }),

  /**
   * Takes a report: finds or makes its pipeline, sets the name's status, recomputes the pipeline, and lets the merge
   * requests whose head it is follow, all in one transaction.
   */
  report: (report: StatusReport, committedAt: Date | undefined, now: Date): Promise<CommitStatus | ReportRefusal> =>
    db.transaction(async (tx) => {
      // Two first reports at once must not make two pipelines.
      await lockHead(tx, report.projectId, report.sha, report.ref);
      let pipeline: Pipeline;
      let isNew = false;
      if (report.pipelineId !== undefined) {
        pipeline = await lockPipeline(tx, report.projectId, report.pipelineId);
        if (pipeline.sha !== report.sha) throw notFound('Pipeline');
      } else {
        const row = await tx.one(sql`
          select * from pipelines where project_id = ${report.projectId} and sha = ${report.sha} and ref = ${report.ref}
            and tag = ${report.tag} order by id desc limit 1 for no key update`);
        if (row === undefined && isTrainRef(report.ref)) return 'no pipeline';
        isNew = row === undefined;
        pipeline =
          row === undefined
            ? await insertPipeline(tx, { ...report, source: 'external', committedAt }, followers.heads)
            : toPipeline(row);
      }
      const row = await tx.one(sql`
        select * from commit_statuses where pipeline_id = ${pipeline.id} and name = ${report.name} and not retried for update`);
      const current = row === undefined ? undefined : toCommitStatus(row);
      const decision = decideReport(current, report);
      if ('from' in decision) return decision;
      if (current !== undefined && decision.save === 'retire_and_insert') {
        await tx.query(sql`update commit_statuses set retried = true, updated_at = ${now} where id = ${current.id}`);
      }
      const status =
        current !== undefined && decision.save === 'update'
          ? await updateStatus(tx, current, report, now)
          : await insertStatus(tx, pipeline, report, now);
      const by = { actorId: report.userId, occurredAt: now };
      const facts: PipelineFactInput[] = isNew ? [{ ...by, pipeline, fact: { kind: 'created' } }] : [];
      if (decision.recomputes) {
        const next = (await statusFromNames(tx, pipeline.id)) ?? pipeline.status;
        const changed = await change(tx, followers, pipeline, { status: next, actorId: report.userId, now });
        const oldStatus = decision.save === 'update' ? current?.status : undefined;
        const job: PipelineFact[] =
          oldStatus === status.status ? [] : [{ kind: 'job_changed', job: status, oldStatus }];
        facts.push(...[...job, ...changed.facts].map((fact) => ({ ...by, pipeline: changed.pipeline, fact })));
      }
      await publishPipelineFacts(tx, facts);
      return status;
    }),

  async statusView(statusId: number): Promise<CommitStatusView | undefined> {
    const row = await db.one(sql`select ${statusSelect} from commit_statuses cs where cs.id = ${statusId}`);
    return row === undefined ? undefined : toStatusView(row);
  },

  /** Cancels what has not finished; a finished pipeline stays as it is. */
  cancel: (projectId: number, pipelineId: number, actorId: number, now: Date): Promise<void> =>
    db.transaction(async (tx) => {
      const pipeline = await lockPipeline(tx, projectId, pipelineId);
      if (!canCancel(pipeline)) return;
      const jobs = await cancelJobs(tx, [pipelineId], now);
      const changed = await change(tx, followers, pipeline, { status: 'canceled', actorId, now });
      await publishChange(tx, changed, jobs, { actorId, occurredAt: now });
    }),

  /** Starts the failed and canceled names again; without any the pipeline stays as it is. */
  retry: (projectId: number, pipelineId: number, actorId: number, now: Date): Promise<void> =>
    db.transaction(async (tx) => {
      const pipeline = await lockPipeline(tx, projectId, pipelineId);
      if (isTrainRef(pipeline.ref) && (await followers.cars.trainOf(tx, pipelineId)) === undefined) return;
      const again = await tx.query<{ name: string }>(sql`
        update commit_statuses set retried = true, updated_at = ${now}
        where pipeline_id = ${pipelineId} and not retried and status = any(${[...retryable]}::text[]) returning name`);
      if (!canRetry(pipeline, again.length)) return;
      const jobs: ChangedJob[] = [];
      if (again.length > 0) {
        const values = again.map(
          ({ name }) =>
            sql`(${pipelineId}, ${projectId}, ${pipeline.sha}, ${pipeline.ref}, ${name}, 'created', ${actorId}, ${now}, ${now})`,
        );
        const rows = await tx.query(sql`
          insert into commit_statuses (pipeline_id, project_id, sha, ref, name, status, user_id, created_at, updated_at)
          values ${join(values)} returning *`);
        jobs.push(...rows.map((row) => ({ job: toCommitStatus(row), oldStatus: undefined })));
      }
      const status = (await statusFromNames(tx, pipelineId)) ?? 'created';
      const changed = await change(tx, followers, pipeline, {
        status,
        retriedAs: `${pipelineId}-${now.getTime()}`,
        actorId,
        now,
      });
      await publishChange(tx, changed, jobs, { actorId, occurredAt: now });
    }),

  beginJobTokens: (projectId: number, pipelineId: number): Promise<number | undefined> =>
    db.transaction(async (tx) => {
      const pipeline = await lockPipeline(tx, projectId, pipelineId);
      return isFinished(pipeline.status) ? undefined : beginJobTokens(tx, pipelineId);
    }),

  remove: (projectId: number, pipelineId: number, unmodifiedSince?: Date): Promise<void> =>
    db.transaction(async (tx) => {
      // The deletion takes it from its cars, whose rows their train may have changed: the train comes first (ADR 24).
      await followers.cars.lockTrains(tx, pipelineId);
      const { jobTokensIssued } = await lockPipeline(tx, projectId, pipelineId);
      await requireUnmodified(tx, 'pipelines', pipelineId, unmodifiedSince);
      const trainId = await followers.cars.trainOf(tx, pipelineId);
      if (jobTokensIssued) await endJobTokenRuns(tx, [pipelineId]);
      await tx.query(sql`delete from pipelines where id = ${pipelineId}`);
      if (trainId !== undefined) await enqueueJobs(tx, [{ kind: 'merge_train', trainId }]);
    }),
});
