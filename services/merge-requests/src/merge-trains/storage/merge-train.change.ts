import type { Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import type {
  CarSignal,
  LandedPlan,
  MergePlan,
  MergeRequest,
  NewCar,
  TrainChanges,
  TrainConsequences,
} from '../../merge-requests';
import {
  decideAddition,
  decideCarSignal,
  decideLanded,
  landingJobs,
  requireRemoved,
  trainRequestOf,
} from '../domain/merge-train-change';
import { active, loadTrain } from './merge-train.row';
import { changeTrain, saveTrain } from './merge-train.save';

async function openTrain(tx: Tx, projectId: number, targetBranch: string): Promise<number> {
  const row = await tx.one<{ id: number }>(sql`
    insert into merge_trains (project_id, target_branch) values (${projectId}, ${targetBranch})
    on conflict (project_id, target_branch) do update set updated_at = now() returning id`);
  return row!.id;
}

async function insertCar(tx: Tx, trainId: number, mr: MergeRequest, car: NewCar, userId: number): Promise<number> {
  const row = await tx.one<{ id: number }>(sql`
    insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, source_sha, squash,
      remove_source_branch, merge_commit_message, squash_commit_message)
    values (${trainId}, ${mr.projectId}, ${mr.targetBranch}, ${mr.id}, ${userId}, ${car.sourceSha}, ${car.squash},
      ${car.removeSourceBranch}, ${car.mergeCommitMessage ?? null}, ${car.squashCommitMessage ?? null})
    returning id`);
  return row!.id;
}

/** Puts cars of a train before all others that are not being merged; returns the rank. */
async function rankFirst(tx: Tx, trainId: number, carId: number): Promise<number> {
  const row = await tx.one<{ rank: number }>(sql`
    update merge_train_cars set rank = (select min(rank) - 1 from merge_train_cars where train_id = ${trainId} and status in ${active})
    where id = ${carId} returning rank`);
  return row!.rank;
}

async function addCar(tx: Tx, mr: MergeRequest, car: NewCar, userId: number, now: Date): Promise<TrainConsequences> {
  const trainId = await openTrain(tx, mr.projectId, mr.targetBranch);
  const stored = await loadTrain(tx, trainId, true);
  if (stored === undefined) throw notFound('Project');
  const queued = [...stored.cars.values()].find(({ mergeRequestId }) => mergeRequestId === mr.id);
  const id = queued?.id ?? (await insertCar(tx, trainId, mr, car, userId));
  const first = car.first
    ? { rank: await rankFirst(tx, trainId, id), moved: queued !== undefined, actorId: userId }
    : undefined;
  const decision = decideAddition(stored, { id, mergeRequestId: mr.id, iid: mr.iid }, first);
  await saveTrain(tx, stored, decision, { actorId: userId }, now);
  return decision.consequences;
}

/** The train a merge request is on, and its car there. */
export async function carOf(tx: Tx, mergeRequestId: number): Promise<{ id: number; trainId: number } | undefined> {
  return tx.one(sql`
    select id, train_id as "trainId" from merge_train_cars where merge_request_id = ${mergeRequestId} and status in ${active}`);
}

/**
 * Waits for reports under way on what is tested at `sha`, and holds later ones back until the transaction ends: a landing
 * is judged, and its plan keeps the statuses, by one and the same state. A report holds the lock of its pipeline's head
 * (`lockHead`) and its pipeline, and then waits for jobs alone; a transaction in which a landing begins queues none
 * before this, and opens no pipeline for the head of what lands.
 */
async function holdReports(tx: Tx, trainId: number, sha: string): Promise<void> {
  // The train first: only its holder points cars at pipelines.
  await tx.query(sql`select id from merge_trains where id = ${trainId} for update`);
  await tx.query(sql`
    select id from pipelines
    where id in (select pipeline_id from merge_train_cars where train_id = ${trainId} and sha = ${sha} and status in ${active})
    order by id for no key update`);
}

async function signalCar(
  tx: Tx,
  mr: MergeRequest,
  signalOf: (carId: number) => CarSignal,
  { actorId, now }: { readonly actorId: number; readonly now: Date },
): Promise<TrainConsequences | undefined> {
  const car = await carOf(tx, mr.id);
  if (car === undefined) return undefined;
  const signal = signalOf(car.id);
  if (signal.kind === 'landing_begun') await holdReports(tx, car.trainId, signal.to);
  const decision = await changeTrain(
    tx,
    car.trainId,
    (stored) => decideCarSignal(stored, mr, car.id, signal, now),
    { actorId },
    now,
  );
  return decision?.consequences;
}

async function recordLandedCar(tx: Tx, carId: number, plan: MergePlan, now: Date): Promise<number | undefined> {
  const row = await tx.one<{ trainId: number }>(sql`
    select train_id as "trainId" from merge_train_cars where id = ${carId}`);
  const decision =
    row &&
    (await changeTrain(tx, row.trainId, (stored) => decideLanded(stored, carId, plan.newSha), { actorId: 0 }, now));
  return decision === undefined ? undefined : row?.trainId;
}

async function insertSkippedCar(
  tx: Tx,
  mr: MergeRequest,
  trainId: number,
  plan: MergePlan,
  now: Date,
): Promise<number> {
  const row = await tx.one<{ id: number }>(sql`
    insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, status, source_sha, squash,
      remove_source_branch, onto_sha, sha, tree_sha, merge_commit_sha, squash_commit_sha, method, created_at, merged_at, duration)
    select ${trainId}, ${mr.projectId}, ${plan.targetBranch}, ${mr.id}, ${plan.actorId}, 'skip_merged', ${plan.sourceSha},
      ${plan.squash ?? false}, ${plan.removeSourceBranch}, ${plan.oldSha}, ${plan.newSha}, ${plan.treeSha ?? null},
      ${plan.mergeCommitSha ?? null}, ${plan.squashCommitSha ?? null}, ${plan.method ?? null}, ${plan.createdAt}, ${now},
      greatest(0, floor(extract(epoch from ${now}::timestamptz - ${plan.createdAt}::timestamptz)))::int
    returning id`);
  return row!.id;
}

/**
 * Ends a car that has landed, and writes its receipt. That contains what the decision to land was made by, which the
 * plan has kept. What was tested is the tip of the batch; what landed is the car's own.
 */
async function writeReceipt(tx: Tx, mr: MergeRequest, carId: number, plan: LandedPlan, now: Date): Promise<void> {
  const { movesTo, testedTree, batchIids } = plan;
  await tx.query(sql`
    with c as (
      update merge_train_cars set status = case when status = 'merging' then 'merged' else status end, merged_at = ${now},
        updated_at = now(), duration = greatest(0, floor(extract(epoch from ${now}::timestamptz - created_at)))::int
      where id = ${carId} returning *)
    insert into landing_receipts (project_id, merge_request_id, merge_request_iid, car_id, target_branch, method, squash, head_sha,
      base_sha, tested_sha, tested_tree, pipeline_id, pipeline_status, statuses, required_statuses, landed_sha, landed_tree,
      batch_iids, reruns, merge_commit_sha, squash_commit_sha, added_by_id, boarded_at, built_at, tested_at, landed_at)
    select c.project_id, c.merge_request_id, ${mr.iid}, c.id, c.target_branch, c.method, c.squash, c.source_sha, c.onto_sha,
      case when c.status = 'merged' then ${movesTo} end, case when c.status = 'merged' then ${testedTree ?? null} end, m.pipeline_id,
      m.pipeline_status, m.statuses, m.required_statuses, c.sha, c.tree_sha, ${[...batchIids]}::bigint[], c.reruns, c.merge_commit_sha,
      c.squash_commit_sha, c.user_id, c.created_at, c.built_at, m.tested_at, ${now}
    from c join merge_request_merges m on m.merge_request_id = c.merge_request_id`);
}

/**
 * Ends the car of a landing, or stores one for a merge past the train, and writes the receipt; undefined when it came
 * too late.
 */
async function recordLanding(
  tx: Tx,
  mr: MergeRequest,
  plan: LandedPlan,
  now: Date,
): Promise<TrainConsequences['jobs'] | undefined> {
  if (plan.carId === undefined && !plan.skipsTrain) return [];
  let { carId } = plan;
  let trainId: number | undefined;
  if (carId === undefined) {
    trainId = await openTrain(tx, mr.projectId, plan.targetBranch);
    carId = await insertSkippedCar(tx, mr, trainId, plan, now);
  } else trainId = await recordLandedCar(tx, carId, plan, now);
  if (trainId === undefined) return undefined;
  await writeReceipt(tx, mr, carId, plan, now);
  return landingJobs(mr, trainId, plan);
}

/** The part of a merge request's change that concerns its train. */
export const trainChanges: TrainChanges = {
  async change(tx, mr, change, actorId, now) {
    const request = trainRequestOf(mr, change);
    switch (request.kind) {
      case 'none':
        return { facts: [], jobs: [] };
      case 'add':
        return addCar(tx, mr, request.car, actorId, now);
      case 'signal':
        return signalCar(tx, mr, () => request.signal, { actorId, now });
      case 'remove':
        return requireRemoved(
          await signalCar(tx, mr, (carId) => ({ kind: 'removed', carId, reason: request.reason }), { actorId, now }),
        );
      case 'landing': {
        const removed = request.removesCar
          ? await signalCar(tx, mr, (carId) => ({ kind: 'removed', carId, reason: 'skipped' }), { actorId, now })
          : undefined;
        const jobs = await recordLanding(tx, mr, request.plan, now);
        return jobs && { facts: removed?.facts ?? [], jobs };
      }
    }
  },
};
