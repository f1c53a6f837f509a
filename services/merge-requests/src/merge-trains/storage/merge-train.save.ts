import type { Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { cancelPipelines } from '../../pipelines';
import type { TrainDecision } from '../domain/merge-train-change';
import type { StoredTrain } from '../domain/stored-train';
import { loadTrain } from './merge-train.row';

/** Saves how a locked train has changed: one statement per kind of change, whatever the number of cars. */
export async function saveTrain(tx: Tx, stored: StoredTrain, { outcome, built }: TrainDecision): Promise<void> {
  const { train, steps, events } = outcome;
  const before = new Map(stored.train.cars.map((car) => [car.id, car]));
  if (train.base !== stored.train.base) {
    await tx.query(sql`
      update merge_trains set base_sha = ${train.base ?? null}, updated_at = now() where id = ${stored.id}`);
  }
  const removed = events.flatMap((event) => (event.kind === 'removed' ? event.carId : []));
  if (removed.length > 0) await tx.query(sql`delete from merge_train_cars where id = any(${removed}::bigint[])`);
  const changed = train.cars.filter((car) => before.has(car.id) && before.get(car.id) !== car);
  const stale = changed.filter(({ build }) => build === undefined).map(({ id }) => id);
  if (stale.length > 0) {
    await tx.query(sql`
      update merge_train_cars set status = 'stale', onto_sha = null, sha = null, tree_sha = null, merge_commit_sha = null,
        squash_commit_sha = null, method = null, pipeline_id = null, built_at = null, commit_count = null, commit_title = null,
        readme_path = null, updated_at = now()
      where id = any(${stale}::bigint[])`);
  }
  for (const car of changed) {
    const was = before.get(car.id);
    if (car.build === undefined || (was?.build?.sha === car.build.sha && was.status === car.status)) continue;
    if (was?.build === undefined && built !== undefined) {
      await tx.query(sql`
        update merge_train_cars set status = ${car.status}, onto_sha = ${car.build.onto}, sha = ${car.build.sha},
          tree_sha = ${built.treeSha}, merge_commit_sha = ${built.mergeCommitSha ?? null},
          squash_commit_sha = ${built.squashCommitSha ?? null}, method = ${built.method}, squash = ${built.squash}, build_failures = 0, built_at = now(),
          commit_count = ${built.facts.commitCount}, commit_title = ${built.facts.commitTitle},
          readme_path = ${built.facts.readmePath ?? null}, updated_at = now()
        where id = ${car.id}`);
    } else {
      await tx.query(sql`update merge_train_cars set status = ${car.status}, updated_at = now() where id = ${car.id}`);
    }
  }
  await cancelPipelines(
    tx,
    steps.flatMap((step) => (step.kind === 'cancel_pipeline' ? step.pipelineId : [])),
  );
}

/**
 * Locks a train, decides, and saves the decision; undefined when there is none, or no such train. `decide` is pure, so
 * that nothing remote happens under the lock.
 */
export async function changeTrain<D extends TrainDecision>(
  tx: Tx,
  trainId: number,
  decide: (stored: StoredTrain) => D | undefined,
): Promise<D | undefined> {
  const stored = await loadTrain(tx, trainId, true);
  const decision = stored && decide(stored);
  if (stored !== undefined && decision !== undefined) await saveTrain(tx, stored, decision);
  return decision;
}
