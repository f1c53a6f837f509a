import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { mergeTrainColumns } from '@switchyard/directory';
import type { ProjectMergeSettings, Verdict } from '../../merge-requests';
import { type Car, type CarStatus, type NamedStatus, verdictOf } from '../domain/merge-train';
import type { CarReport, StoredCar, StoredTrain } from '../domain/stored-train';

/** Statuses of cars that have not landed. */
export const active = sql`('idle', 'stale', 'fresh', 'merging')`;

interface CarRow {
  id: number;
  merge_request_id: number;
  iid: number;
  user_id: number;
  status: CarStatus;
  source_branch: string;
  source_sha: string;
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
  built_at: Date | null;
  commit_count: number | null;
  commit_title: string | null;
  readme_path: string | null;
  created_at: Date;
  pipeline_status: string | null;
  names: NamedStatus[] | null;
}

interface TrainRow {
  id: number;
  project_id: number;
  target_branch: string;
  base_sha: string | null;
  target_moves: number;
  target_seen: number;
  merge_trains_enabled: boolean;
  merge_train_required_statuses: string[];
  merge_train_timeout: number;
  merge_train_parallel_cars: number;
  allow_merge_on_skipped_pipeline: boolean;
  archived: boolean;
  alive: boolean | null;
}

const toCar = (row: CarRow): Car => ({
  id: row.id,
  status: row.status,
  build:
    row.sha === null || row.onto_sha === null
      ? undefined
      : { onto: row.onto_sha, sha: row.sha, pipelineId: row.pipeline_id ?? undefined, verdict: 'pending' },
});

const toStoredCar = (row: CarRow): StoredCar => ({
  id: row.id,
  mergeRequestId: row.merge_request_id,
  iid: row.iid,
  userId: row.user_id,
  sourceBranch: row.source_branch,
  sourceSha: row.source_sha,
  squash: row.squash,
  removeSourceBranch: row.remove_source_branch,
  mergeCommitMessage: row.merge_commit_message ?? undefined,
  squashCommitMessage: row.squash_commit_message ?? undefined,
  treeSha: row.tree_sha ?? undefined,
  mergeCommitSha: row.merge_commit_sha ?? undefined,
  squashCommitSha: row.squash_commit_sha ?? undefined,
  method: row.method ?? undefined,
  pipelineId: row.pipeline_id ?? undefined,
  builtAt: row.built_at ?? undefined,
  facts:
    row.commit_count === null
      ? undefined
      : {
          commitCount: row.commit_count,
          commitTitle: row.commit_title ?? '',
          readmePath: row.readme_path ?? undefined,
        },
  createdAt: row.created_at,
});

function reportOf(row: CarRow, train: TrainRow): CarReport[] {
  if (row.sha === null) return [];
  if (row.pipeline_id === null) return [{ kind: 'pipeline_lost', carId: row.id }];
  const verdict: Verdict = verdictOf(
    row.pipeline_status ?? 'pending',
    row.names ?? [],
    train.merge_train_required_statuses,
    train.allow_merge_on_skipped_pipeline,
  );
  return verdict === 'pending' ? [] : [{ kind: 'reported', carId: row.id, pipelineId: row.pipeline_id, verdict }];
}

/** A train of a project that lives, and its cars that have not landed; the work does not grow with those that have. */
export async function loadTrain(db: SqlExecutor, trainId: number, lock: boolean): Promise<StoredTrain | undefined> {
  const [row] = await db.query<TrainRow & Record<string, unknown>>(sql`
    select t.id, t.project_id, t.target_branch, t.base_sha, t.target_moves, t.target_seen, ${mergeTrainColumns},
      p.allow_merge_on_skipped_pipeline, p.archived, p.deleted_at is null as alive
    from merge_trains t
    left join (directory.projects p join directory.namespaces n on n.id = p.namespace_id) on p.id = t.project_id
    where t.id = ${trainId} ${lock ? sql`for update of t` : sql``}`);
  if (row === undefined || row.alive !== true) return undefined;
  const required = row.merge_train_required_statuses;
  const rows = await db.query<CarRow & Record<string, unknown>>(sql`
    select c.id, c.merge_request_id, mr.iid, c.user_id, c.status, mr.source_branch, c.source_sha, c.squash, c.remove_source_branch,
      c.merge_commit_message, c.squash_commit_message, c.onto_sha, c.sha, c.tree_sha, c.merge_commit_sha, c.squash_commit_sha, c.method,
      c.pipeline_id, c.built_at, c.commit_count, c.commit_title, c.readme_path, c.created_at, pl.status as pipeline_status,
      ${
        required.length === 0
          ? sql`null`
          : sql`(select json_agg(json_build_object('name', cs.name, 'status', cs.status, 'allowFailure', cs.allow_failure))
              from commit_statuses cs where cs.pipeline_id = c.pipeline_id and not cs.retried and cs.name = any(${required}::text[]))`
      } as names
    from merge_train_cars c join merge_requests mr on mr.id = c.merge_request_id left join pipelines pl on pl.id = c.pipeline_id
    where c.train_id = ${trainId} and c.status in ${active} order by c.id`);
  return {
    id: row.id,
    projectId: row.project_id,
    targetBranch: row.target_branch,
    train: {
      base: row.base_sha ?? undefined,
      parallel: row.merge_train_parallel_cars,
      cars: rows.map(toCar),
    },
    cars: new Map(rows.map((car) => [car.id, toStoredCar(car)])),
    reports: rows.flatMap((car) => reportOf(car, row)),
    unseenMoves: row.target_moves === row.target_seen ? undefined : row.target_moves,
    stoppedBy: row.archived ? 'archived' : row.merge_trains_enabled ? undefined : 'trains_disabled',
    timeoutMinutes: row.merge_train_timeout,
  };
}
