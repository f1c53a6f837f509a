import type { Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { AppError, notFound } from '@switchyard/errors';
import type { JobRequest } from '../../jobs';
import {
  type Boarding,
  type CarSignal,
  type MergePlan,
  type MergeRequest,
  type MergeRequestChange,
  type MergeRequestFact,
  onMergeTrain,
  type TrainChanges,
  type TrainConsequences,
} from '../../merge-requests';
import { type Train, transition } from '../domain/merge-train';
import { active, loadTrain } from './merge-train.row';
import { signalled } from './merge-train.save';

async function openTrain(tx: Tx, projectId: number, targetBranch: string): Promise<number> {
  const row = await tx.one<{ id: number }>(sql`
    insert into merge_trains (project_id, target_branch) values (${projectId}, ${targetBranch})
    on conflict (project_id, target_branch) do update set updated_at = now() returning id`);
  return row!.id;
}

async function board(tx: Tx, mr: MergeRequest, boarding: Boarding, actorId: number): Promise<TrainConsequences> {
  const trainId = await openTrain(tx, mr.projectId, mr.targetBranch);
  const stored = await loadTrain(tx, trainId, true);
  if (stored === undefined) throw notFound('Project');
  const car = await tx.one<{ id: number }>(sql`
    insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, source_sha, squash,
      remove_source_branch, merge_commit_message, squash_commit_message)
    values (${trainId}, ${mr.projectId}, ${mr.targetBranch}, ${mr.id}, ${actorId}, ${boarding.sourceSha}, ${boarding.squash},
      ${boarding.removeSourceBranch}, ${boarding.mergeCommitMessage ?? null}, ${boarding.squashCommitMessage ?? null})
    returning id`);
  const entryId = car!.id;
  // A train that was empty knows nothing of where its branch stands now.
  if (stored.train.cars.length === 0) {
    await tx.query(sql`update merge_trains set base_sha = null where id = ${trainId}`);
  }
  const { events } = transition(stored.train, { kind: 'boarded', carId: entryId });
  return {
    facts: events.flatMap((event) =>
      event.kind === 'added'
        ? { kind: 'train_entry_added', entryId, targetBranch: mr.targetBranch, position: event.position }
        : [],
    ),
    jobs: [{ kind: 'merge_train', trainId }],
  };
}

/** The train a merge request is on, and its car there. */
export async function carOf(tx: Tx, mergeRequestId: number): Promise<{ id: number; trainId: number } | undefined> {
  return tx.one(sql`
    select id, train_id as "trainId" from merge_train_cars where merge_request_id = ${mergeRequestId} and status in ${active}`);
}

const builtAs = ({ cars }: Train, carId: number): string | undefined => cars.find(({ id }) => id === carId)?.build?.sha;

async function signalCar(
  tx: Tx,
  mr: MergeRequest,
  signal: CarSignal | ((carId: number) => CarSignal),
): Promise<TrainConsequences | undefined> {
  const found = await carOf(tx, mr.id);
  const stored = found && (await loadTrain(tx, found.trainId, true));
  if (found === undefined || stored === undefined) return undefined;
  const given = typeof signal === 'function' ? signal(found.id) : signal;
  if (given.carId !== found.id) return undefined;
  // What the train does not know by itself: whether the tested commit is green at this very moment.
  const known =
    given.kind === 'landing_begun'
      ? stored.reports.filter((one) => one.kind === 'reported' && one.carId === found.id && one.verdict === 'green')
      : [];
  const result = await signalled(tx, stored, [...known, given]);
  if (result === undefined) return undefined;
  // A worker that comes late may name a car that has left, while another one is the first and being merged.
  const [head] = result.train.cars;
  if (given.kind === 'landing_begun' && (head?.id !== given.carId || head.status !== 'merging')) return undefined;
  const car = stored.cars.get(found.id)!;
  const facts = result.events.flatMap((event): MergeRequestFact[] =>
    event.kind === 'removed' && event.carId === car.id
      ? [
          {
            kind: 'train_entry_removed',
            entryId: car.id,
            targetBranch: stored.targetBranch,
            addedById: car.userId,
            reason: event.reason,
            pipelineId: event.pipelineId,
          },
        ]
      : [],
  );
  const left = facts.length > 0;
  return {
    // While it was aboard nobody else checked it.
    ...(left ? { patch: { mergeStatus: 'unchecked', mergeStatusGeneration: mr.mergeStatusGeneration + 1 } } : {}),
    facts,
    jobs:
      given.kind === 'landing_begun'
        ? []
        : [
            { kind: 'merge_train', trainId: stored.id },
            ...(left
              ? ([
                  { kind: 'train_ref', projectId: mr.projectId, iid: mr.iid, sha: builtAs(stored.train, car.id) },
                  { kind: 'mergeability', projectId: mr.projectId },
                ] as const)
              : []),
          ],
  };
}

/** Ends the car of a landing, or records the one that skipped the train, and writes the receipt. */
async function recordLanding(
  tx: Tx,
  mr: MergeRequest,
  plan: MergePlan,
  now: Date,
): Promise<readonly JobRequest[] | undefined> {
  let carId = plan.carId;
  let trainId: number;
  if (carId !== undefined) {
    const row = await tx.one<{ trainId: number }>(sql`
      select train_id as "trainId" from merge_train_cars where id = ${carId}`);
    const stored = row && (await loadTrain(tx, row.trainId, true));
    const result = stored && (await signalled(tx, stored, [{ kind: 'landed', carId, sha: plan.newSha }]));
    if (stored === undefined || result === undefined) return undefined;
    trainId = stored.id;
    await tx.query(sql`
      update merge_train_cars set status = 'merged', merged_at = ${now}, updated_at = now(),
        duration = greatest(0, floor(extract(epoch from ${now}::timestamptz - created_at)))::int
      where id = ${carId}`);
  } else if (plan.skipsTrain) {
    trainId = await openTrain(tx, mr.projectId, plan.targetBranch);
    const row = await tx.one<{ id: number }>(sql`
      insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, status, source_sha, squash,
        remove_source_branch, onto_sha, sha, tree_sha, merge_commit_sha, squash_commit_sha, method, created_at, merged_at, duration)
      select ${trainId}, ${mr.projectId}, ${plan.targetBranch}, ${mr.id}, ${plan.actorId}, 'skip_merged', ${plan.sourceSha},
        ${plan.squash ?? false}, ${plan.removeSourceBranch}, ${plan.oldSha}, ${plan.newSha}, ${plan.treeSha ?? null},
        ${plan.mergeCommitSha ?? null}, ${plan.squashCommitSha ?? null}, ${plan.method ?? null}, ${plan.createdAt}, ${now},
        greatest(0, floor(extract(epoch from ${now}::timestamptz - ${plan.createdAt}::timestamptz)))::int
      returning id`);
    carId = row!.id;
  } else return [];
  await writeReceipt(tx, mr, carId, now);
  return [
    { kind: 'merge_train', trainId },
    { kind: 'train_ref', projectId: mr.projectId, iid: mr.iid, sha: plan.newSha },
  ];
}

/** The receipt says what the decision to land was made by, which the plan has kept. */
async function writeReceipt(tx: Tx, mr: MergeRequest, carId: number, now: Date): Promise<void> {
  await tx.query(sql`
    insert into landing_receipts (project_id, merge_request_id, merge_request_iid, car_id, target_branch, method, squash, head_sha,
      base_sha, tested_sha, tested_tree, pipeline_id, pipeline_status, statuses, required_statuses, landed_sha, landed_tree,
      merge_commit_sha, squash_commit_sha, added_by_id, boarded_at, built_at, tested_at, landed_at)
    select c.project_id, c.merge_request_id, ${mr.iid}, c.id, c.target_branch, c.method, c.squash, c.source_sha, c.onto_sha,
      case when c.status = 'merged' then c.sha end, case when c.status = 'merged' then c.tree_sha end, m.pipeline_id,
      m.pipeline_status, m.statuses, m.required_statuses, c.sha, c.tree_sha, c.merge_commit_sha, c.squash_commit_sha, c.user_id,
      c.created_at, c.built_at, m.tested_at, ${now}
    from merge_train_cars c join merge_request_merges m on m.merge_request_id = c.merge_request_id
    where c.id = ${carId}`);
}

async function changeTrain(
  tx: Tx,
  mr: MergeRequest,
  change: MergeRequestChange,
  actorId: number,
  now: Date,
): Promise<TrainConsequences | undefined> {
  const { boards, leaves, signal, landed } = change;
  if (signal !== undefined) return signalCar(tx, mr, signal);
  if (landed !== undefined) {
    // One that merges past its train keeps its place until it has.
    const left =
      landed.skipsTrain && mr.autoMergeStrategy === onMergeTrain
        ? await signalCar(tx, mr, (carId) => ({ kind: 'left', carId, reason: 'skipped' }))
        : undefined;
    const jobs = await recordLanding(tx, mr, landed, now);
    return jobs && { facts: left?.facts ?? [], jobs };
  }
  if (boards !== undefined) return board(tx, mr, boards, actorId);
  if (leaves === undefined || mr.autoMergeStrategy !== onMergeTrain) return { facts: [], jobs: [] };
  const left = await signalCar(tx, mr, (carId) => ({ kind: 'left', carId, reason: leaves }));
  if (left === undefined) throw new AppError('not_acceptable', 'The merge request is being merged');
  return left;
}

/** The part of a merge request's change that concerns its train. */
export const trainChanges: TrainChanges = { change: changeTrain };
