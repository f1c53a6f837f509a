import { given, type SqlExecutor } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf } from '@switchyard/directory';
import type { TrainEvidence } from '../../merge-requests';
import type { PipelineStatus } from '../../pipelines';
import {
  type Departure,
  type MergeTrainView,
  type TrainControl,
  type TrainKey,
  type TrainMarks,
  viewedCars,
  viewedDepartures,
} from '../domain/merge-train-view';
import { entryColumns, entryJoins, toEntry } from './merge-train.list';
import { active, queueOrder } from './merge-train.row';
import { trainChannel } from './merge-train.save';
import { withPlaces } from './train-queue';

/** Calls `onChange` with the id of a train that may have changed; without one when notices may have been missed. */
export const onTrainChange = (
  db: { readonly notices: { listen(channel: string, onNotice: (payload?: string) => void): () => void } },
  onChange: (trainId?: number) => void,
): (() => void) =>
  db.notices.listen(trainChannel, (payload) =>
    onChange(payload === undefined || payload === '' ? undefined : Number(payload)),
  );

interface TrainRow {
  id: number | null;
  control_state: TrainControl['state'] | null;
  control_reason: string | null;
  control_until: Date | null;
  control_changed_at: Date | null;
  target_failing: boolean | null;
  full_path: string;
  total: number | null;
  probe_id: number | null;
  probe_iid: number;
  probe_sha: string;
  probe_ref: string;
  probe_status: string;
  probe_source: string;
  probe_created_at: Date;
  probe_updated_at: Date;
}

const trainStatement = ({ projectId, targetBranch }: TrainKey) =>
  named(
    'view_merge_train',
    sql`select t.id, t.control_state, t.control_reason, t.control_until, t.control_changed_at, t.target_failing,
      n.full_path || '/' || p.path as full_path,
      (select count(*)::int from merge_train_cars c where c.train_id = t.id and c.status in ${active}) as total,
      pl.id as probe_id, pl.iid as probe_iid, pl.sha as probe_sha, pl.ref as probe_ref, pl.status as probe_status,
      pl.source as probe_source, pl.created_at as probe_created_at, pl.updated_at as probe_updated_at, ${userColumns('controller')}
    from directory.projects p join directory.namespaces n on n.id = p.namespace_id
    left join merge_trains t on t.project_id = p.id and t.target_branch = ${targetBranch}
    left join pipelines pl on pl.id = t.probe_pipeline_id ${userJoin('controller', sql`t.control_user_id`)}
    where p.id = ${projectId} and p.deleted_at is null`,
  );

const entriesStatement = (trainId: number) =>
  named(
    'view_merge_train_entries',
    sql`select ${entryColumns} from merge_train_cars c join merge_requests mr on mr.id = c.merge_request_id ${entryJoins}
    where c.train_id = ${trainId} and c.status in ${active} order by ${queueOrder} limit ${viewedCars}`,
  );

const departuresStatement = (trainId: number) =>
  named(
    'view_merge_train_departures',
    sql`select merge_request_iid as "mergeRequestIid", title, reason, at, sha, evidence
    from merge_train_departures where train_id = ${trainId} order by id desc limit ${viewedDepartures}`,
  );

interface DepartureRow {
  mergeRequestIid: number;
  title: string;
  reason: string;
  at: Date;
  sha: string | null;
  evidence: TrainEvidence | null;
}

const toDeparture = (row: DepartureRow): Departure => ({
  ...row,
  sha: given(row.sha),
  evidence: given(row.evidence),
});

const controlOf = (row: TrainRow, projectId: number): TrainControl => ({
  state: row.control_state ?? 'running',
  reason: row.target_failing === true ? 'target_failing' : given(row.control_reason),
  until: given(row.control_until),
  updatedAt: given(row.control_changed_at),
  updatedBy: userOf(row, 'controller'),
  probe:
    row.probe_id === null
      ? undefined
      : {
          id: row.probe_id,
          iid: row.probe_iid,
          projectId,
          sha: row.probe_sha,
          ref: row.probe_ref,
          status: row.probe_status as PipelineStatus,
          source: row.probe_source,
          createdAt: row.probe_created_at,
          updatedAt: row.probe_updated_at,
        },
});

/**
 * A train as it stands, in four statements however long it is. They are no snapshot: a change between them is notified,
 * and so is read again. A branch without a train is an empty one.
 * @returns undefined without the project
 */
export async function readMergeTrainView(db: SqlExecutor, key: TrainKey): Promise<MergeTrainView | undefined> {
  const [row] = await db.query<TrainRow & Record<string, unknown>>(trainStatement(key));
  if (row === undefined) return undefined;
  const trainId = row.id;
  const [entries, departures] =
    trainId === null
      ? [[], []]
      : await Promise.all([
          db
            .query<Record<string, unknown>>(entriesStatement(trainId))
            .then((rows) => withPlaces(db, rows.map(toEntry))),
          db.query<DepartureRow & Record<string, unknown>>(departuresStatement(trainId)),
        ]);
  return {
    targetBranch: key.targetBranch,
    projectPath: row.full_path,
    control: controlOf(row, key.projectId),
    entries,
    total: row.total ?? 0,
    departures: departures.map(toDeparture),
  };
}

/**
 * Marks of many trains, in one statement: a mark is another text whenever what `readMergeTrainView` reads has changed.
 * Trains that do not exist have none.
 */
export async function readTrainMarks(db: SqlExecutor, keys: readonly TrainKey[]): Promise<TrainMarks[]> {
  return db.query<TrainMarks & Record<string, unknown>>(
    named(
      'merge_train_marks',
      sql`select t.id as "trainId", t.project_id as "projectId", t.target_branch as "targetBranch",
        concat_ws(' ', t.version, t.control_state, t.control_changed_at, cars.mark,
          (select max(d.id) from merge_train_departures d where d.train_id = t.id)) as mark
      from unnest(${keys.map(({ projectId }) => projectId)}::bigint[], ${keys.map(({ targetBranch }) => targetBranch)}::text[])
        as wanted (project_id, target_branch)
      join merge_trains t on t.project_id = wanted.project_id and t.target_branch = wanted.target_branch
      left join lateral (
        select concat_ws(' ', count(*), max(c.id), max(c.updated_at), max(pl.updated_at), max(mr.updated_at)) as mark
        from merge_train_cars c join merge_requests mr on mr.id = c.merge_request_id left join pipelines pl on pl.id = c.pipeline_id
        where c.train_id = t.id and c.status in ${active}) cars on true`,
    ),
  );
}
