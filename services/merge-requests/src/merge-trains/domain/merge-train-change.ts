import { AppError, conflict } from '@switchyard/errors';
import type { JobRequest } from '../../jobs';
import {
  type CarSignal,
  type LandedPlan,
  type LaterFact,
  type MergePlan,
  type MergeRequest,
  type MergeRequestChange,
  type MergeRequestFact,
  type NewCar,
  onMergeTrain,
  type RemovalReason,
  type TrainConsequences,
  type TrainEvidence,
} from '../../merge-requests';
import type { Outcome, Signal, Train, TrainEvent } from './merge-train';
import { newsOf } from './merge-train-work';
import type { BuiltCar, StoredCar, StoredTrain } from './stored-train';
import { transition } from './transition';

/** How a train changes; saved under the lock of its row. */
export interface TrainDecision {
  readonly outcome: Outcome;
  /** What was written for a car that was built. */
  readonly built?: { readonly carId: number; readonly car: BuiltCar };
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
  | { readonly kind: 'landing'; readonly plan: LandedPlan; readonly removesCar: boolean };

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
  const events: TrainEvent[] = [];
  for (const signal of signals) {
    const next = transition(after, signal);
    if (next.train === after) continue;
    after = next.train;
    steps.push(...next.steps);
    events.push(...next.events);
  }
  return after === train ? undefined : { outcome: { train: after, steps, events } };
}

/** Handles what the pipelines of a train report and what time brings about; undefined when that changes nothing. */
export const decideNews = (stored: StoredTrain, now: Date): TrainDecision | undefined =>
  decideSignals(stored, newsOf(stored, now));

/**
 * Adds a car, whose row is stored already, at the end of the queue or at its front, or moves it there.
 * @throws AppError conflict while the train is draining (409)
 */
export function decideAddition(
  { id, projectId, train, targetBranch, cars, controlReason }: StoredTrain,
  car: Pick<StoredCar, 'id' | 'mergeRequestId' | 'iid'>,
  first: { readonly rank: number; readonly moved: boolean; readonly actorId: number } | undefined,
): CarDecision {
  if (train.state === 'draining' && first?.moved !== true) {
    throw conflict(`Merge train is draining${controlReason === undefined ? '' : `: ${controlReason}`}`);
  }
  // A train that was empty does not know where its branch is now.
  const known = train.cars.length === 0 ? { ...train, base: undefined } : train;
  const outcome = transition(known, {
    kind: 'added',
    carId: car.id,
    mergeRequestId: car.mergeRequestId,
    first: first !== undefined,
  });
  const position = outcome.events.find((event) => event.kind === 'added')?.position;
  return {
    outcome,
    consequences: {
      facts:
        position === undefined
          ? []
          : [{ kind: 'train_entry_added', entryId: car.id, targetBranch, position, ...(first && { first }) }],
      jobs: [
        { kind: 'merge_train', trainId: id },
        ...(first === undefined
          ? []
          : laterFacts(
              `${projectId}:${car.id}:${first.rank}`,
              first.actorId,
              overtakenFacts(outcome, cars, targetBranch, car, first.rank),
            )),
      ],
    },
  };
}

/**
 * Facts about other merge requests than the one that is being changed: their rows come before that of the train in the
 * order of locks, so each is published by a job, in a transaction of its own.
 */
const laterFacts = (key: string, actorId: number, facts: readonly LaterFact[]): JobRequest[] =>
  facts.length === 0 ? [] : [{ kind: 'merge_request_facts', key, actorId, facts }];

const overtakenFacts = (
  { events }: Outcome,
  cars: StoredTrain['cars'],
  targetBranch: string,
  by: Pick<StoredCar, 'id' | 'mergeRequestId' | 'iid'>,
  rank: number,
): LaterFact[] =>
  events.flatMap((event) => {
    const car = event.kind === 'overtaken' ? cars.get(event.carId) : undefined;
    if (event.kind !== 'overtaken' || car === undefined) return [];
    return [
      {
        mergeRequestId: car.mergeRequestId,
        fact: {
          kind: 'train_entry_overtaken' as const,
          entryId: car.id,
          targetBranch,
          position: event.position,
          by: { id: by.mergeRequestId, iid: by.iid, entryId: by.id, rank },
          addedById: car.userId,
        },
      },
    ];
  });

/** Handles a signal about the car of a merge request; undefined when it changes nothing any more. */
export function decideCarSignal(
  stored: StoredTrain,
  mr: Pick<MergeRequest, 'iid' | 'projectId' | 'mergeStatusGeneration'>,
  carId: number,
  signal: CarSignal,
  now: Date,
): CarDecision | undefined {
  const car = stored.cars.get(carId);
  if (car === undefined || signal.carId !== carId) return undefined;
  const begins = signal.kind === 'landing_begun';
  // What the train does not know by itself: what its pipelines report now. While a landing is under way the news wait.
  const news = begins || signal.kind === 'blamed' ? newsOf(stored, now) : [];
  const decision = decideSignals(stored, [...news, signal]);
  if (decision === undefined) return undefined;
  const after = decision.outcome.train.cars.find(({ id }) => id === carId);
  // A late worker may name a car whose turn has passed: then nothing of the change is true.
  if (begins && after?.status !== 'merging') return undefined;
  if (signal.kind === 'blamed' && after !== undefined) return undefined;
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

/** What shows that a car itself failed; undefined for one that left for another reason. */
export function evidenceOf(
  { pipelines }: Pick<StoredTrain, 'pipelines'>,
  event: Extract<TrainEvent, { kind: 'removed' }>,
): TrainEvidence | undefined {
  const { blamedOn, pipelineId } = event;
  if (blamedOn === undefined) return undefined;
  const { build, base } = blamedOn;
  const urls = pipelineId === undefined ? undefined : pipelines.get(pipelineId)?.targetUrls;
  return {
    testedSha: build?.sha,
    baseSha: base,
    pipelineId,
    statuses: (build?.failedNames ?? []).map((name) => ({ name, targetUrl: urls?.get(name) })),
    reruns: build?.reruns ?? 0,
  };
}

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
            evidence: evidenceOf(stored, event),
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

/** Accepts what was built for a car; undefined when the build is not current any more. */
export function decideBuilt(
  stored: StoredTrain,
  carId: number,
  { onto, sha }: { readonly onto: string; readonly sha: string },
  car: BuiltCar,
): TrainDecision | undefined {
  const decision = decideSignals(stored, [{ kind: 'built', carId, onto, sha }]);
  return decision && { ...decision, built: { carId, car } };
}

/** The work that publishes a change of what a train does, for each merge request that is on it. */
export function stateJobs(
  stored: StoredTrain,
  train: Train,
  changed: Extract<TrainEvent, { kind: 'state_changed' }>,
  change: {
    readonly id: number;
    readonly reason: string | undefined;
    readonly until: Date | undefined;
    readonly actorId: number;
  },
): JobRequest[] {
  const facts = train.cars.flatMap(({ id }, at): LaterFact[] => {
    const car = stored.cars.get(id);
    if (car === undefined) return [];
    return [
      {
        mergeRequestId: car.mergeRequestId,
        fact: {
          kind: 'train_state_changed',
          entryId: id,
          targetBranch: stored.targetBranch,
          changeId: change.id,
          state: changed.state,
          reason: change.reason,
          until: change.until,
          failingNames: changed.targetFailing ? changed.names : undefined,
          firstCar: at === 0,
          addedById: car.userId,
        },
      },
    ];
  });
  return laterFacts(`${stored.projectId}:state:${change.id}`, change.actorId, facts);
}
