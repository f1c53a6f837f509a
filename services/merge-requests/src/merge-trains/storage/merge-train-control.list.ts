import { given, type SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { joinProject, projectColumns, projectOf, userColumns, userJoin, userOf } from '@switchyard/directory';
import {
  type TrainControl,
  type TrainControlChange,
  type TrainControlView,
  type TrainState,
  targetFailing,
} from '../domain/train-control';
import { pipelineColumns, pipelineOf } from './entry-pipeline';

/** Changes of its control that a train shows. */
const shownChanges = 20;

interface ControlColumns {
  state: TrainState;
  reason: string | null;
  until: Date | null;
}

/** The train that `controlColumns` put into a row; all of them null for a branch without a train. */
type ControlRow = { [K in keyof ControlColumns]: ControlColumns[K] | null } & {
  train_id: number | null;
  target_failing: boolean | null;
  changed_at: Date | null;
};

/** What is read of the control of a train `t`, its project `p` and `n` and its probe `pl`. */
export const controlColumns = sql`t.id as train_id, t.control_state as state, t.control_reason as reason,
  t.control_until as until, t.target_failing, coalesce(t.control_changed_at, t.created_at) as changed_at, ${projectColumns},
  ${pipelineColumns}, ${userColumns('decider')}`;

/** Joins behind `controlColumns` of what hangs on a train `t`. */
export const controlJoins = sql`left join pipelines pl on pl.id = t.probe_pipeline_id ${userJoin('decider', sql`t.control_user_id`)}`;

/** The control that `controlColumns` put into a row; undefined without the project. */
export function toTrainState(
  found: Record<string, unknown>,
  targetBranch: string,
): Omit<TrainControlView, 'changes'> | undefined {
  const row = found as unknown as ControlRow;
  const project = projectOf(found);
  if (project === undefined) return undefined;
  const control = toControl({ state: row.state ?? 'running', reason: row.reason, until: row.until });
  return {
    project,
    targetBranch,
    control: row.target_failing === true ? { ...control, reason: targetFailing } : control,
    updatedAt: given(row.changed_at),
    updatedBy: userOf(found, 'decider'),
    probe: pipelineOf(found, project.id),
  };
}

type ChangeRow = ControlColumns & { created_at: Date };

const toControl = ({ state, reason, until }: ControlColumns): TrainControl => ({
  state,
  reason: given(reason),
  until: given(until),
});

/** The newest decisions about a train, newest first, from one statement. */
async function newestChanges(db: SqlExecutor, trainId: number): Promise<TrainControlChange[]> {
  const rows = await db.query<ChangeRow>(sql`
    select ch.state, ch.reason, ch.until, ch.created_at, ${userColumns('decider')}
    from merge_train_control_changes ch ${userJoin('decider', sql`ch.user_id`)}
    where ch.train_id = ${trainId} order by ch.id desc limit ${shownChanges}`);
  return rows.map((row) => ({ ...toControl(row), user: userOf(row, 'decider'), createdAt: row.created_at }));
}

/**
 * What the train of a branch does, and the newest decisions about it: two statements.
 * @returns undefined for a branch without a train
 */
export async function trainControlOf(
  db: SqlExecutor,
  key: { projectId: number; targetBranch: string },
): Promise<TrainControlView | undefined> {
  const [row] = await db.query<Record<string, unknown>>(sql`
    select ${controlColumns} from merge_trains t ${joinProject(sql`t.project_id`)} ${controlJoins}
    where t.project_id = ${key.projectId} and t.target_branch = ${key.targetBranch}`);
  const state = row && toTrainState(row, key.targetBranch);
  return state && { ...state, changes: await newestChanges(db, row?.train_id as number) };
}
