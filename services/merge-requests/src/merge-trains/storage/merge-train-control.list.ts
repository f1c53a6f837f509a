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

type ControlRow = ControlColumns & { id: number; target_branch: string; target_failing: boolean; changed_at: Date };
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
  const [row] = await db.query<ControlRow>(sql`
    select t.id, t.target_branch, t.control_state as state, t.control_reason as reason, t.control_until as until,
      t.target_failing, coalesce(t.control_changed_at, t.created_at) as changed_at, ${projectColumns}, ${pipelineColumns},
      ${userColumns('decider')}
    from merge_trains t ${joinProject(sql`t.project_id`)} left join pipelines pl on pl.id = t.probe_pipeline_id
      ${userJoin('decider', sql`t.control_user_id`)}
    where t.project_id = ${key.projectId} and t.target_branch = ${key.targetBranch}`);
  const project = row && projectOf(row);
  if (row === undefined || project === undefined) return undefined;
  const control = toControl(row);
  return {
    project,
    targetBranch: row.target_branch,
    control: row.target_failing ? { ...control, reason: targetFailing } : control,
    updatedAt: row.changed_at,
    updatedBy: userOf(row, 'decider'),
    probe: pipelineOf(row, project.id),
    changes: await newestChanges(db, row.id),
  };
}
