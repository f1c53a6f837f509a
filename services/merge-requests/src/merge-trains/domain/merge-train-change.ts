import { AppError } from '@switchyard/errors';
import type { JobRequest } from '../../jobs';
import {
  type CarSignal,
  type MergePlan,
  type MergeRequest,
  type MergeRequestChange,
  type MergeRequestFact,
  type NewCar,
  onMergeTrain,
  type RemovalReason,
  type TrainConsequences,
} from '../../merge-requests';
import type { NewPipeline } from '../../pipelines';
import { type Outcome, type Signal, type Train, transition } from './merge-train';
import type { BuiltCar, StoredCar, StoredTrain } from './stored-train';

/** How a train changes; saved under the lock of its row. */
export interface TrainDecision {
  readonly outcome: Outcome;
  /** What was written for the car that was built. */
  readonly built?: BuiltCar;
}

/** A change of a train that follows from the change of a merge request, and what it means for the merge request. */
export interface CarDecision extends TrainDecision {
  readonly consequences: TrainConsequences;
}

/** What a change of a merge request requires of its train. */
export type TrainRequest =
  | { readonly kind: 'none' }
  | { readonly kind: 'add'; readonly car: NewCar }
  | { readonly kind: 'signal'; readonly signal: CarSignal }
  | { readonly kind: 'remove'; readonly reason: RemovalReason }
  /** `removesCar`: it merges past its train, and keeps its car until it has merged. */
  | { readonly kind: 'landing'; readonly plan: MergePlan; readonly removesCar: boolean };

/** What a change of a merge request requires of its train. */
export function trainRequestOf(
  { autoMergeStrategy }: Pick<MergeRequest, 'autoMergeStrategy'>,
  { addedCar, removalReason, signal, landed }: MergeRequestChange,
): TrainRequest {
  const isQueued = autoMergeStrategy === onMergeTrain;
  if (signal !== undefined) return { kind: 'signal', signal };
  if (landed !== undefined) return { kind: 'landing', plan: landed, removesCar: landed.skipsTrain && isQueued };
  if (addedCar !== undefined) return { kind: 'add', car: addedCar };
  return removalReason !== undefined && isQueued ? { kind: 'remove', reason: removalReason } : { kind: 'none' };
}

/** Applies signals to a train, one after another; undefined when they change nothing. */
export function decideSignals({ train }: StoredTrain, signals: readonly Signal[]): TrainDecision | undefined {
  let after = train;
  const steps: Outcome['steps'][number][] = [];
  const events: Outcome['events'][number][] = [];
  for (const signal of signals) {
    const next = transition(after, signal);
    if (next.train === after) continue;
    after = next.train;
    steps.push(...next.steps);
    events.push(...next.events);
  }
  return after === train ? undefined : { outcome: { train: after, steps, events } };
}

/** Adds a car, whose row is stored already, at the end of the queue. */
export function decideAddition({ id, train, targetBranch }: StoredTrain, carId: number): CarDecision {
  // A train that was empty does not know where its branch is now.
  const known = train.cars.length === 0 ? { ...train, base: undefined } : train;
  const outcome = transition(known, { kind: 'added', carId });
  return {
    outcome,
    consequences: {
      facts: outcome.events.flatMap((event) =>
        event.kind === 'added'
          ? { kind: 'train_entry_added', entryId: carId, targetBranch, position: event.position }
          : [],
      ),
      jobs: [{ kind: 'merge_train', trainId: id }],
    },
  };
}

/** Handles a signal about the car of a merge request; undefined when it changes nothing any more. */
export function decideCarSignal(
  stored: StoredTrain,
  mr: Pick<MergeRequest, 'iid' | 'projectId' | 'mergeStatusGeneration'>,
  carId: number,
  signal: CarSignal,
): CarDecision | undefined {
  const car = stored.cars.get(carId);
  if (car === undefined || signal.carId !== carId) return undefined;
  const begins = signal.kind === 'landing_begun';
  // What the train does not know by itself: whether the tested commit is green now.
  const reports = begins ? stored.reports.filter((report) => isGreen(report, carId)) : [];
  const decision = decideSignals(stored, [...reports, signal]);
  if (decision === undefined) return undefined;
  // A late worker may name a car that was removed, while another one is the first and being merged.
  const [head] = decision.outcome.train.cars;
  if (begins && (head?.id !== carId || head.status !== 'merging')) return undefined;
  const facts = removalFacts(stored, car, decision.outcome);
  const isRemoved = facts.length > 0;
  return {
    ...decision,
    consequences: {
      // While it was on the train nothing else checked it.
      ...(isRemoved
        ? { patch: { mergeStatus: 'unchecked', mergeStatusGeneration: mr.mergeStatusGeneration + 1 } }
        : {}),
      facts,
      jobs: [
        ...(begins ? [] : [{ kind: 'merge_train', trainId: stored.id } as const]),
        ...(isRemoved ? removalJobs(stored.train, mr, carId) : []),
      ],
    },
  };
}

const isGreen = (report: StoredTrain['reports'][number], carId: number): boolean =>
  report.kind === 'reported' && report.carId === carId && report.verdict === 'green';

const removalFacts = (stored: StoredTrain, car: StoredCar, { events }: Outcome): MergeRequestFact[] =>
  events.flatMap((event): MergeRequestFact[] =>
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

function removalJobs(
  { cars }: Train,
  { projectId, iid }: Pick<MergeRequest, 'iid' | 'projectId'>,
  carId: number,
): JobRequest[] {
  const builtAs = cars.find(({ id }) => id === carId)?.build?.sha;
  return [
    { kind: 'train_ref', projectId, iid, sha: builtAs },
    { kind: 'mergeability', projectId },
  ];
}

/**
 * The consequences of a removal that a user or a change requires.
 * @throws AppError not_acceptable when the car stays because it is being merged (D8)
 */
export function requireRemoved(consequences: TrainConsequences | undefined): TrainConsequences {
  if (consequences === undefined) throw new AppError('not_acceptable', 'The merge request is being merged');
  return consequences;
}

/** Ends the landing of a car; undefined when its result came too late. */
export const decideLanded = (stored: StoredTrain, carId: number, sha: string): TrainDecision | undefined =>
  decideSignals(stored, [{ kind: 'landed', carId, sha }]);

/** The work after a landing on a train, or past it. */
export const landingJobs = (
  { projectId, iid }: Pick<MergeRequest, 'projectId' | 'iid'>,
  trainId: number,
  { newSha }: Pick<MergePlan, 'newSha'>,
): JobRequest[] => [
  { kind: 'merge_train', trainId },
  { kind: 'train_ref', projectId, iid, sha: newSha },
];

/** A car whose pipeline was deleted is built again; undefined when it has a pipeline. */
export const decidePipelineLost = (stored: StoredTrain, carId: number): TrainDecision | undefined =>
  stored.cars.get(carId)?.pipelineId === undefined
    ? decideSignals(stored, [{ kind: 'pipeline_lost', carId }])
    : undefined;

/**
 * Accepts what was built for a car, with the pipeline to open for it; undefined when the build is not current any more.
 */
export function decideBuilt(
  stored: StoredTrain,
  carId: number,
  { onto, sha }: { readonly onto: string; readonly sha: string },
  built: BuiltCar,
): (TrainDecision & { readonly pipeline: NewPipeline }) | undefined {
  const decision = decideSignals(stored, [{ kind: 'built', carId, onto, sha }]);
  const car = stored.cars.get(carId);
  if (decision === undefined || car === undefined) return undefined;
  return {
    ...decision,
    built,
    pipeline: {
      projectId: stored.projectId,
      sha,
      ref: `refs/merge-requests/${car.iid}/train`,
      tag: false,
      source: 'merge_request_event',
      userId: car.userId,
      mergeRequestId: car.mergeRequestId,
      committedAt: built.committedAt,
      status: 'pending',
    },
  };
}
