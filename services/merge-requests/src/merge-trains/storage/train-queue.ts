import { given, type SqlExecutor } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { Verdict } from '../../merge-requests';
import type { TrainState } from '../domain/merge-train';
import type { MergeTrainEntry } from '../domain/merge-train-entry';
import { placesOf, type QueuedCar, type QueuePlace, type ReportedName, type TrainQueue } from '../domain/queue-place';
import { active, queueOrder } from './merge-train.row';

/** Names that are read of a pipeline, which may have thousands. */
const readNames = 200;
/** Cars of all trains that are read for their places; those behind show none. */
const readCars = 2_000;

interface CarRow {
  train_id: number;
  control_state: TrainState;
  parallel: number;
  required: string[];
  required_count: number;
  id: number;
  iid: number;
  status: string;
  sha: string | null;
  batch_id: number | null;
  verdict: Verdict;
  reruns: number;
  failed_names: string[];
  held: boolean;
  expected_at: Date | null;
  pipeline_id: number | null;
  pipeline_sha: string | null;
  reported: number;
  statuses: ReportedName[] | null;
}

const toCar = (row: CarRow): QueuedCar => ({
  id: row.id,
  mergeRequestIid: row.iid,
  status: row.status,
  sha: given(row.sha),
  batchId: given(row.batch_id),
  verdict: row.verdict,
  reruns: row.reruns,
  hasFailed: row.reruns > 0 || row.failed_names.length > 0,
  held: row.held,
  expectedAt: given(row.expected_at),
  pipeline:
    row.pipeline_id === null || row.pipeline_sha === null ? undefined : { id: row.pipeline_id, sha: row.pipeline_sha },
  reported: row.reported,
  statuses: row.statuses ?? [],
});

/** Where the cars of some trains stand, by the id of the car: one statement, whatever their number. */
export async function readPlaces(db: SqlExecutor, trainIds: readonly number[]): Promise<Map<number, QueuePlace>> {
  if (trainIds.length === 0) return new Map();
  const rows = await db.query<CarRow & Record<string, unknown>>(
    named(
      'merge_train_places',
      sql`select c.train_id, t.control_state, p.merge_train_parallel_cars as parallel, p.merge_train_required_statuses as required,
        p.merge_train_required_status_count as required_count, c.id, mr.iid, c.status, c.sha, c.batch_id, c.verdict, c.reruns,
        c.failed_names, c.held_onto is not null as held, c.expected_at, c.pipeline_id, pl.sha as pipeline_sha,
        (select count(*)::int from (
          select 1 from commit_statuses cs where cs.pipeline_id = c.pipeline_id and not cs.retried
          limit greatest(p.merge_train_required_status_count, 1)) cs) as reported,
        (select json_agg(json_build_object('name', cs.name, 'status', cs.status) order by cs.id) from (
          select cs.id, cs.name, cs.status from commit_statuses cs
          where cs.pipeline_id = c.pipeline_id and not cs.retried
            and (cs.status <> 'success' or cs.name = any(p.merge_train_required_statuses))
          order by cs.id limit ${readNames}) cs) as statuses
      from merge_train_cars c join merge_trains t on t.id = c.train_id join merge_requests mr on mr.id = c.merge_request_id
      join directory.projects p on p.id = c.project_id left join pipelines pl on pl.id = c.pipeline_id
      where c.train_id = any(${[...trainIds]}::bigint[]) and c.status in ${active}
      order by c.train_id, ${queueOrder} limit ${readCars}`,
    ),
  );
  const trains = new Map<number, [CarRow, ...CarRow[]]>();
  for (const row of rows) {
    const cars = trains.get(row.train_id);
    if (cars === undefined) trains.set(row.train_id, [row]);
    else cars.push(row);
  }
  return new Map([...trains.values()].flatMap((cars) => [...placesOf(queueOf(cars))]));
}

function queueOf(rows: readonly [CarRow, ...CarRow[]]): TrainQueue {
  const [{ control_state: state, parallel: window, required, required_count: requiredStatusCount }] = rows;
  return { state, window, requiredStatuses: required, requiredStatusCount, cars: rows.map(toCar) };
}

/** Entries with their places in the queue, those that have landed apart: at most one statement more. */
export async function withPlaces(
  db: SqlExecutor,
  entries: readonly (MergeTrainEntry & { readonly trainId: number })[],
): Promise<MergeTrainEntry[]> {
  const queued = entries.filter(({ status }) => status !== 'merged' && status !== 'skip_merged');
  const places = await readPlaces(db, [...new Set(queued.map(({ trainId }) => trainId))]);
  return entries.map((entry) => ({ ...entry, place: places.get(entry.id) }));
}
