import { given, type SqlExecutor } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { TrainEvidence } from '../../merge-requests';
import {
  type Departure,
  type MergeTrainView,
  type TrainKey,
  type TrainMarks,
  viewedCars,
  viewedDepartures,
} from '../domain/merge-train-view';
import { entryColumns, entryJoins, toEntry } from './merge-train.list';
import { active, queueOrder } from './merge-train.row';
import { trainChannel } from './merge-train.save';
import { controlColumns, controlJoins, toTrainState } from './merge-train-control.list';
import { withPlaces } from './train-queue';

/** Calls `onChange` with the id of a train that may have changed; without one when notices may have been missed. */
export const onTrainChange = (
  db: { readonly notices: { listen(channel: string, onNotice: (payload?: string) => void): () => void } },
  onChange: (trainId?: number) => void,
): (() => void) =>
  db.notices.listen(trainChannel, (payload) =>
    onChange(payload === undefined || payload === '' ? undefined : Number(payload)),
  );

const trainStatement = ({ projectId, targetBranch }: TrainKey) =>
  named(
    'view_merge_train',
    sql`select ${controlColumns},
      (select count(*)::int from merge_train_cars c where c.train_id = t.id and c.status in ${active}) as total
    from directory.projects p join directory.namespaces n on n.id = p.namespace_id
    left join merge_trains t on t.project_id = p.id and t.target_branch = ${targetBranch} ${controlJoins}
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

/**
 * A train as it stands, in four statements however long it is. They are no snapshot: a change between them is notified,
 * and so is read again. A branch without a train is an empty one.
 * @returns undefined without the project
 */
export async function readMergeTrainView(db: SqlExecutor, key: TrainKey): Promise<MergeTrainView | undefined> {
  const [row] = await db.query<Record<string, unknown>>(trainStatement(key));
  const control = row && toTrainState(row, key.targetBranch);
  if (row === undefined || control === undefined) return undefined;
  const trainId = row.train_id as number | null;
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
    control,
    entries,
    total: (row.total as number | null) ?? 0,
    departures: departures.map(toDeparture),
  };
}

/**
 * Marks of many trains, in one statement: a mark is another text whenever the train, its cars, their merge requests or
 * pipelines, its probe or its departures have changed. Names of users and of the project are not in it. Trains that do
 * not exist have none.
 */
export async function readTrainMarks(db: SqlExecutor, keys: readonly TrainKey[]): Promise<TrainMarks[]> {
  return db.query<TrainMarks & Record<string, unknown>>(
    named(
      'merge_train_marks',
      sql`select t.id as "trainId", t.project_id as "projectId", t.target_branch as "targetBranch",
        concat_ws(' ', t.version, t.control_state, t.control_changed_at, cars.mark,
          (select concat_ws('/', probe.id, probe.updated_at) from pipelines probe where probe.id = t.probe_pipeline_id),
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
