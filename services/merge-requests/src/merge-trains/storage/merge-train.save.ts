import type { Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { probeRef } from '../../git';
import { enqueueJobs } from '../../jobs';
import { cancelPipelines, insertPipeline, type Pipeline, publishCreated } from '../../pipelines';
import type { Car, Outcome, Step, Train, TrainEvent } from '../domain/merge-train';
import { evidenceOf, stateJobs, type TrainDecision } from '../domain/merge-train-change';
import type { StoredTrain } from '../domain/stored-train';
import { targetFailing } from '../domain/train-control';
import { transition } from '../domain/transition';
import { type OpenedRun, recordHistory } from './merge-train.history';
import { loadTrain } from './merge-train.row';

/** Channel on which every saved change of a train is announced, with the train's id. */
export const trainChannel = 'switchyard_merge_trains';

/** Who and what has changed a train. */
export interface TrainCause {
  /** 0 when no user did it. */
  readonly actorId: number;
  /** What a maintainer decided, where one did. */
  readonly control?: { readonly reason: string | undefined; readonly until: Date | undefined };
}

async function openPipelines(
  tx: Tx,
  stored: StoredTrain,
  steps: readonly Step[],
  given: Train,
): Promise<{ train: Train; opened: OpenedRun[] }> {
  let train = given;
  const opened: OpenedRun[] = [];
  const made: Pipeline[] = [];
  for (const step of steps) {
    const base = { projectId: stored.projectId, tag: false, source: 'merge_request_event', status: 'pending' } as const;
    if (step.kind === 'open_probe' && train.probe?.sha === step.sha && train.probe.pipelineId === undefined) {
      const userId = stored.cars.get(train.cars[0]?.id ?? 0)?.userId ?? 0;
      const probe = await insertPipeline(tx, {
        ...base,
        sha: step.sha,
        ref: probeRef(stored.id),
        userId,
        committedAt: undefined,
      });
      const { id } = probe;
      made.push(probe);
      opened.push({ pipelineId: id, sha: step.sha, cars: 0, rerun: false, probe: true });
      train = transition(train, { kind: 'probe_opened', sha: step.sha, pipelineId: id }).train;
    }
    if (step.kind !== 'open_pipeline') continue;
    const tip = stored.cars.get(step.carIds.at(-1) ?? 0);
    const build = train.cars.find(({ id }) => id === tip?.id)?.build;
    // What a later signal of the same decision has undone is not opened.
    if (tip === undefined || build?.sha !== step.sha || build.pipelineId !== undefined || !build.requested) continue;
    const pipeline = await insertPipeline(tx, {
      ...base,
      sha: step.sha,
      ref: `refs/merge-requests/${tip.iid}/train`,
      userId: tip.userId,
      mergeRequestId: tip.mergeRequestId,
      committedAt: tip.createdAt,
    });
    const { id } = pipeline;
    made.push(pipeline);
    opened.push({ pipelineId: id, sha: step.sha, cars: step.carIds.length, rerun: step.rerun, probe: false });
    train = transition(train, { kind: 'pipeline_opened', carId: tip.id, sha: step.sha, pipelineId: id }).train;
  }
  await publishCreated(tx, made);
  return { train, opened };
}

const carFields = ({ id, status, build, held, batchId, alone }: Car) => ({
  id,
  status,
  onto_sha: build?.onto ?? null,
  sha: build?.sha ?? null,
  pipeline_id: build?.pipelineId ?? null,
  verdict: build?.verdict ?? 'pending',
  reruns: build?.reruns ?? 0,
  failed_names: build?.failedNames ?? [],
  held_onto: held?.onto ?? null,
  held_reason: held?.reason ?? null,
  batch_id: batchId ?? null,
  alone,
});

/** Saves cars that have changed, in one statement. What was written for a build goes with the build. */
async function saveCars(tx: Tx, cars: readonly Car[], built: TrainDecision['built']): Promise<void> {
  if (cars.length === 0) return;
  const rows = cars.map((car) => {
    const fresh = built?.carId === car.id && car.build !== undefined ? built.car : undefined;
    return {
      ...carFields(car),
      fresh: fresh !== undefined,
      tree_sha: fresh?.treeSha ?? null,
      merge_commit_sha: fresh?.mergeCommitSha ?? null,
      squash_commit_sha: fresh?.squashCommitSha ?? null,
      method: fresh?.method ?? null,
      squash: fresh?.squash ?? null,
      commit_count: fresh?.facts.commitCount ?? null,
      commit_title: fresh?.facts.commitTitle ?? null,
      readme_path: fresh?.facts.readmePath ?? null,
    };
  });
  await tx.query(sql`
    update merge_train_cars c set status = g.status, onto_sha = g.onto_sha, sha = g.sha, pipeline_id = g.pipeline_id,
      verdict = g.verdict, reruns = g.reruns, failed_names = g.failed_names, held_onto = g.held_onto, held_reason = g.held_reason,
      batch_id = g.batch_id, alone = g.alone, updated_at = now(),
      built_at = case when g.pipeline_id is null then null when c.pipeline_id is distinct from g.pipeline_id then now() else c.built_at end,
      build_failures = case when g.fresh then 0 else c.build_failures end,
      squash = case when g.fresh then g.squash else c.squash end,
      tree_sha = case when g.fresh then g.tree_sha when g.sha is not null then c.tree_sha end,
      merge_commit_sha = case when g.fresh then g.merge_commit_sha when g.sha is not null then c.merge_commit_sha end,
      squash_commit_sha = case when g.fresh then g.squash_commit_sha when g.sha is not null then c.squash_commit_sha end,
      method = case when g.fresh then g.method when g.sha is not null then c.method end,
      commit_count = case when g.fresh then g.commit_count when g.sha is not null then c.commit_count end,
      commit_title = case when g.fresh then g.commit_title when g.sha is not null then c.commit_title end,
      readme_path = case when g.fresh then g.readme_path when g.sha is not null then c.readme_path end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(id bigint, status text, onto_sha text, sha text,
      pipeline_id bigint, verdict text, reruns int, failed_names text[], held_onto text, held_reason text, batch_id bigint,
      alone boolean, fresh boolean, tree_sha text, merge_commit_sha text, squash_commit_sha text, method text, squash boolean,
      commit_count int, commit_title text, readme_path text)
    where c.id = g.id`);
}

async function saveRow(tx: Tx, { id }: StoredTrain, train: Train): Promise<void> {
  await tx.query(sql`
    update merge_trains set base_sha = ${train.base ?? null}, control_state = ${train.state},
      target_failing = ${train.targetFailing}, resumes_as = ${train.resumesAs}, streak = ${JSON.stringify(train.streak)}::jsonb,
      failure_rate = ${train.failureRate}::double precision, probe_pipeline_id = ${train.probe?.pipelineId ?? null}::bigint,
      probe_sha = ${train.probe?.sha ?? null}, version = version + 1, updated_at = now()
    where id = ${id}`);
}

/**
 * Records who changed what a train does, and has it published for the cars in the train. What a Maintainer did not decide,
 * the train did itself, in whose transaction it may be.
 */
export async function saveState(
  tx: Tx,
  stored: StoredTrain,
  outcome: Pick<Outcome, 'train' | 'events'>,
  cause: TrainCause,
): Promise<void> {
  for (const event of outcome.events) {
    if (event.kind !== 'state_changed') continue;
    const byMaintainer = cause.control !== undefined && !event.targetFailing;
    const actorId = byMaintainer ? cause.actorId : 0;
    const goesOn = stored.train.targetFailing && !byMaintainer && !event.targetFailing;
    const kept = goesOn ? stored.resumes : undefined;
    const reason = event.targetFailing ? targetFailing : byMaintainer ? cause.control?.reason : kept?.reason;
    const until = byMaintainer ? cause.control?.until : kept?.until;
    await tx.query(sql`
      update merge_trains set
        resumes_reason = case when ${event.targetFailing} then control_reason end,
        resumes_until = case when ${event.targetFailing} then control_until end,
        control_reason = ${reason ?? null}, control_until = ${until ?? null},
        control_user_id = ${actorId === 0 ? null : actorId}::bigint, control_changed_at = now() where id = ${stored.id}`);
    const row = await tx.one<{ id: number }>(sql`
      insert into merge_train_control_changes (train_id, state, reason, until, user_id)
      values (${stored.id}, ${event.state}, ${reason ?? null}, ${until ?? null}, ${actorId === 0 ? null : actorId}::bigint)
      returning id`);
    const jobs = stateJobs(stored, outcome.train, event, { id: row!.id, reason, until, actorId });
    await enqueueJobs(tx, [...jobs, { kind: 'merge_train', trainId: stored.id }]);
  }
}

const removedIn = (events: readonly TrainEvent[]): number[] =>
  events.flatMap((event) => (event.kind === 'removed' ? event.carId : []));

/** Saves how a locked train has changed: one statement per kind of change, whatever the number of cars. */
export async function saveTrain(
  tx: Tx,
  stored: StoredTrain,
  { outcome, built }: TrainDecision,
  cause: TrainCause,
  now: Date,
): Promise<void> {
  const { steps, events } = outcome;
  const cancelled = steps.flatMap((step) => (step.kind === 'cancel_pipeline' ? step.pipelineId : []));
  await cancelPipelines(tx, cancelled);
  const { train, opened } = await openPipelines(tx, stored, steps, outcome.train);
  const before = new Map(stored.train.cars.map((car) => [car.id, car]));
  await saveCars(
    tx,
    train.cars.filter((car) => before.get(car.id) !== car),
    built,
  );
  const history = new Map(
    [...stored.cars.values()].map((car) => {
      const removal = events.find((event) => event.kind === 'removed' && event.carId === car.id);
      const evidence = removal?.kind === 'removed' ? evidenceOf(stored, removal) : undefined;
      return [car.id, { ...car, sha: before.get(car.id)?.build?.sha, evidence }];
    }),
  );
  await recordHistory(tx, stored, { events, opened, cars: history, actorId: cause.actorId, now });
  const removed = removedIn(events);
  if (removed.length > 0) await tx.query(sql`delete from merge_train_cars where id = any(${removed}::bigint[])`);
  await saveRow(tx, stored, train);
  await saveState(tx, stored, { ...outcome, train }, cause);
  tx.notify(trainChannel, String(stored.id));
}

/**
 * Locks a train, decides, and saves the decision; undefined when there is none, or no such train. `decide` is pure, so
 * that nothing remote happens under the lock.
 */
export async function changeTrain<D extends TrainDecision>(
  tx: Tx,
  trainId: number,
  decide: (stored: StoredTrain) => D | undefined,
  cause: TrainCause = { actorId: 0 },
  now = new Date(),
): Promise<D | undefined> {
  const stored = await loadTrain(tx, trainId, true);
  const decision = stored && decide(stored);
  if (stored !== undefined && decision !== undefined) await saveTrain(tx, stored, decision, cause, now);
  return decision;
}
