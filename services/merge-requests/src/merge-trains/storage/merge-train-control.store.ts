import type { Database, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { decideSignals } from '../domain/merge-train-change';
import type { TrainControl } from '../domain/train-control';
import { loadTrain } from './merge-train.row';
import { changeTrain, saveState, trainChannel } from './merge-train.save';

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
    update merge_trains set version = version + 1, updated_at = now()
    where id = ${trainId} and (control_reason, control_until) is distinct from (${reason ?? null}, ${until ?? null}::timestamptz(3))
    returning id`);
  const stored = row && (await loadTrain(tx, trainId, true));
  if (stored === undefined) return;
  const changed = { kind: 'state_changed', state, targetFailing: false, names: [] } as const;
  await saveState(tx, stored, { train: stored.train, events: [changed] }, { actorId, control: { reason, until } });
  tx.notify(trainChannel, String(trainId));
}
