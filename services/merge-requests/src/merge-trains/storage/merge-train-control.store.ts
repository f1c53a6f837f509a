import type { Database, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { decideSignals } from '../domain/merge-train-change';
import type { TrainControl } from '../domain/train-control';
import { changeTrain, trainChannel } from './merge-train.save';

/** Where it is kept what trains are to do. */
export const trainControlStore = (db: Database) => ({
  /** Id of the train of a branch; undefined when there is none. */
  async trainOf(projectId: number, targetBranch: string): Promise<number | undefined> {
    const row = await db.one<{ id: number }>(sql`
      select id from merge_trains where project_id = ${projectId} and target_branch = ${targetBranch}`);
    return row?.id;
  },

  /**
   * Sets what a train does, under the lock of its row, and records who decided it; nothing when it does that already.
   * @param actorId the user who decides
   */
  control: (trainId: number, { state, reason, until }: TrainControl, actorId: number): Promise<void> =>
    db.transaction(async (tx) => {
      const control = { reason, until };
      const decision = await changeTrain(
        tx,
        trainId,
        (stored) => decideSignals(stored, [{ kind: 'controlled', state }]),
        { actorId, control },
      );
      // The same state for another reason, or another time, changes nothing of what the train does.
      if (decision === undefined) await renewControl(tx, trainId, { state, reason, until }, actorId);
    }),
});

async function renewControl(
  tx: Tx,
  trainId: number,
  { state, reason, until }: TrainControl,
  actorId: number,
): Promise<void> {
  const row = await tx.one<{ id: number }>(sql`
    update merge_trains set control_reason = ${reason ?? null}, control_until = ${until ?? null},
      control_user_id = ${actorId}, control_changed_at = now(), version = version + 1, updated_at = now()
    where id = ${trainId} and (control_reason, control_until) is distinct from (${reason ?? null}, ${until ?? null}::timestamptz(3))
    returning id`);
  if (row === undefined) return;
  await tx.query(sql`
    insert into merge_train_control_changes (train_id, state, reason, until, user_id)
    values (${trainId}, ${state}, ${reason ?? null}, ${until ?? null}, ${actorId})`);
  tx.notify(trainChannel, String(trainId));
}
