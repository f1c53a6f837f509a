import type { SqlExecutor } from '@switchyard/database';
import { given } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { mergeTrainColumns } from '@switchyard/directory';
import type { ProjectMergeSettings, Verdict } from '../../merge-requests';
import type { Car, CarStatus, HoldReason, Probe, Train, TrainState } from '../domain/merge-train';
import type { StoredCar, StoredTrain, TrainPipeline } from '../domain/stored-train';
import type { NamedStatus } from '../domain/verdict';

/** Statuses of cars that have not landed. */
export const active = sql`('idle', 'stale', 'fresh', 'merging')`;

/** Order of the queue, on the alias `c`: what is being merged stays ahead of what is put first. */
export const queueOrder = sql`(c.status <> 'merging'), c.rank, c.id`;

/** What cars are built and judged by, as one text, on the aliases `p` and `n`. */
export const settingsDigest: Sql = sql`concat_ws('|', p.merge_method, p.squash_option, p.merge_train_required_statuses::text,
  p.merge_train_required_status_count, p.merge_train_settling_seconds, p.allow_merge_on_skipped_pipeline, p.merge_train_timeout,
  p.merge_train_parallel_cars, p.merge_train_retries, p.merge_train_batch_size)`;

interface CarRow {
  id: number;
  merge_request_id: number;
  iid: number;
  user_id: number;
  status: CarStatus;
  source_project_id: number;
  source_branch: string;
  source_sha: string;
  rank: number;
  squash: boolean;
  remove_source_branch: boolean;
  merge_commit_message: string | null;
  squash_commit_message: string | null;
  onto_sha: string | null;
  sha: string | null;
  tree_sha: string | null;
  merge_commit_sha: string | null;
  squash_commit_sha: string | null;
  method: ProjectMergeSettings['mergeMethod'] | null;
  pipeline_id: number | null;
  batch_id: number | null;
  alone: boolean;
  verdict: Verdict;
  reruns: number;
  failed_names: string[];
  held_onto: string | null;
  held_reason: HoldReason | null;
  commit_count: number | null;
  commit_title: string | null;
  readme_path: string | null;
  created_at: Date;
}

interface TrainRow {
  id: number;
  project_id: number;
  target_branch: string;
  base_sha: string | null;
  target_moves: number;
  target_seen: number;
  control_state: TrainState;
  control_reason: string | null;
  control_until: Date | null;
  control_changed_at: Date | null;
  resumes_reason: string | null;
  resumes_until: Date | null;
  target_failing: boolean;
  resumes_as: TrainState;
  streak: Train['streak'];
  failure_rate: number;
  probe_pipeline_id: number | null;
  probe_sha: string | null;
  settings_digest: string | null;
  settings_now: string;
  due_at: Date | null;
  merge_method: ProjectMergeSettings['mergeMethod'];
  squash_option: ProjectMergeSettings['squashOption'];
  merge_trains_enabled: boolean;
  merge_train_required_statuses: string[];
  merge_train_required_status_count: number;
  merge_train_settling_seconds: number;
  merge_train_timeout: number;
  merge_train_parallel_cars: number;
  merge_train_retries: number;
  merge_train_batch_size: number;
  allow_merge_on_skipped_pipeline: boolean;
  archived: boolean;
  alive: boolean | null;
}

interface PipelineRow {
  id: number;
  status: string;
  created_at: Date;
  finished_at: Date | null;
  newest_at: Date | null;
  restarted_at: Date | null;
  names: (NamedStatus & { targetUrl: string | null })[] | null;
}

function toCar(row: CarRow): Car {
  const { onto_sha: onto, sha } = row;
  // A pipeline that was deleted is opened again when there is room.
  const requested = row.pipeline_id !== null;
  return {
    id: row.id,
    mergeRequestId: row.merge_request_id,
    status: row.status,
    build:
      sha === null || onto === null
        ? undefined
        : {
            onto,
            sha,
            pipelineId: row.pipeline_id ?? undefined,
            requested,
            verdict: requested ? row.verdict : 'pending',
            reruns: row.reruns,
            failedNames: row.failed_names,
          },
    held:
      row.held_onto === null || row.held_reason === null ? undefined : { onto: row.held_onto, reason: row.held_reason },
    batchId: row.batch_id ?? undefined,
    alone: row.alone,
  };
}

const isOutdated = (row: CarRow, train: TrainRow): boolean =>
  row.status === 'fresh' &&
  row.method !== null &&
  (row.method !== train.merge_method ||
    (train.squash_option === 'always' && !row.squash) ||
    (train.squash_option === 'never' && row.squash));

const toStoredCar = (row: CarRow, train: TrainRow): StoredCar => ({
  id: row.id,
  mergeRequestId: row.merge_request_id,
  iid: row.iid,
  userId: row.user_id,
  sourceProjectId: row.source_project_id,
  sourceBranch: row.source_branch,
  sourceSha: row.source_sha,
  rank: row.rank,
  squash: row.squash,
  removeSourceBranch: row.remove_source_branch,
  mergeCommitMessage: given(row.merge_commit_message),
  squashCommitMessage: given(row.squash_commit_message),
  treeSha: given(row.tree_sha),
  mergeCommitSha: given(row.merge_commit_sha),
  squashCommitSha: given(row.squash_commit_sha),
  method: given(row.method),
  pipelineId: given(row.pipeline_id),
  outdated: isOutdated(row, train),
  facts:
    row.commit_count === null
      ? undefined
      : {
          commitCount: row.commit_count,
          commitTitle: row.commit_title ?? '',
          readmePath: given(row.readme_path),
        },
  createdAt: row.created_at,
});

const toPipeline = (row: PipelineRow): TrainPipeline => ({
  id: row.id,
  reports: { status: row.status, names: row.names ?? [], newestAt: given(row.newest_at) },
  targetUrls: new Map(
    (row.names ?? []).flatMap(({ name, targetUrl }) => (targetUrl === null ? [] : [[name, targetUrl]])),
  ),
  openedAt: row.created_at,
  finishedAt: given(row.finished_at),
  restartedAt: given(row.restarted_at),
});

const probeOf = ({ probe_sha, probe_pipeline_id }: TrainRow): Probe | undefined =>
  probe_sha === null ? undefined : { sha: probe_sha, pipelineId: probe_pipeline_id ?? undefined, verdict: 'pending' };

/**
 * What is reported for the pipelines of a train, one row each: the names that the project requires, or all once the
 * pipeline has ended.
 */
const readPipelines = (db: SqlExecutor, ids: readonly number[], required: readonly string[]): Promise<PipelineRow[]> =>
  db.query<PipelineRow & Record<string, unknown>>(sql`
    select pl.id, pl.status, pl.created_at, pl.finished_at, cs.newest_at, cs.names,
      (select max(s.finished_at) from commit_statuses s where s.pipeline_id = pl.id and s.retried) as restarted_at
    from pipelines pl left join lateral (
      select max(s.updated_at) as newest_at, json_agg(json_build_object('name', s.name, 'status', s.status,
        'allowFailure', s.allow_failure, 'targetUrl', s.target_url)) as names
      from commit_statuses s where s.pipeline_id = pl.id and not s.retried and ${
        required.length === 0
          ? sql`pl.status in ('success', 'failed', 'skipped')`
          : sql`s.name = any(${[...required]}::text[])`
      }) cs on true
    where pl.id = any(${[...ids]}::bigint[])`);

/** A train of a project that lives, and its cars that have not landed; the work does not grow with those that have. */
export async function loadTrain(db: SqlExecutor, trainId: number, lock: boolean): Promise<StoredTrain | undefined> {
  const [row] = await db.query<TrainRow & Record<string, unknown>>(sql`
    select t.id, t.project_id, t.target_branch, t.base_sha, t.target_moves, t.target_seen, t.control_state, t.control_reason,
      t.control_until, t.control_changed_at, t.resumes_reason, t.resumes_until, t.target_failing, t.resumes_as, t.streak, t.failure_rate, t.probe_pipeline_id, t.probe_sha, t.settings_digest, t.due_at,
      ${settingsDigest} as settings_now, ${mergeTrainColumns}, p.merge_method, p.squash_option,
      p.allow_merge_on_skipped_pipeline, p.archived, p.deleted_at is null as alive
    from merge_trains t
    left join (directory.projects p join directory.namespaces n on n.id = p.namespace_id) on p.id = t.project_id
    where t.id = ${trainId} ${lock ? sql`for update of t` : sql``}`);
  if (row === undefined || row.alive !== true) return undefined;
  // A statement of its own: what was committed while this one waited for the lock is not in the snapshot of the first.
  const rows = await db.query<CarRow & Record<string, unknown>>(sql`
    select c.id, c.merge_request_id, mr.iid, c.user_id, c.status, mr.source_project_id, mr.source_branch, c.source_sha, c.rank, c.squash,
      c.remove_source_branch, c.merge_commit_message, c.squash_commit_message, c.onto_sha, c.sha, c.tree_sha, c.merge_commit_sha,
      c.squash_commit_sha, c.method, c.pipeline_id, c.batch_id, c.alone, c.verdict, c.reruns, c.failed_names, c.held_onto,
      c.held_reason, c.commit_count, c.commit_title, c.readme_path, c.created_at
    from merge_train_cars c join merge_requests mr on mr.id = c.merge_request_id
    where c.train_id = ${trainId} and c.status in ${active} order by ${queueOrder}`);
  const required = row.merge_train_required_statuses;
  const ids = new Set([
    ...rows.flatMap((car) => car.pipeline_id ?? []),
    ...(row.probe_pipeline_id === null ? [] : [row.probe_pipeline_id]),
  ]);
  const pipelines = ids.size === 0 ? [] : await readPipelines(db, [...ids], required);
  return {
    id: row.id,
    projectId: row.project_id,
    targetBranch: row.target_branch,
    train: {
      base: row.base_sha ?? undefined,
      parallel: row.merge_train_parallel_cars,
      retries: row.merge_train_retries,
      batchSize: row.merge_train_batch_size,
      failureRate: row.failure_rate,
      state: row.control_state,
      targetFailing: row.target_failing,
      resumesAs: row.resumes_as,
      probe: probeOf(row),
      streak: row.streak,
      cars: rows.map(toCar),
    },
    cars: new Map(rows.map((car) => [car.id, toStoredCar(car, row)])),
    pipelines: new Map(pipelines.map((pipeline) => [pipeline.id, toPipeline(pipeline)])),
    rule: {
      required,
      count: row.merge_train_required_status_count,
      settlingSeconds: row.merge_train_settling_seconds,
      skippedCounts: row.allow_merge_on_skipped_pipeline,
    },
    unseenMoves: row.target_moves === row.target_seen ? undefined : row.target_moves,
    stoppedBy: row.archived ? 'archived' : row.merge_trains_enabled ? undefined : 'trains_disabled',
    timeoutMinutes: row.merge_train_timeout,
    runsAgainAt: given(row.control_until),
    controlChangedAt: given(row.control_changed_at),
    resumes: { reason: given(row.resumes_reason), until: given(row.resumes_until) },
    controlReason: given(row.control_reason),
    settingsDigest: row.settings_now,
    seenSettingsDigest: given(row.settings_digest),
    dueAt: given(row.due_at),
  };
}
