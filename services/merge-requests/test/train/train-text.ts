import type { Verdict } from '../../src/merge-requests';
import {
  type Car,
  type CarBuild,
  type CarStatus,
  emptyTrain,
  type HoldReason,
  newCar,
  type Outcome,
  type Signal,
  type Step,
  type Train,
  type TrainEvent,
} from '../../src/merge-trains/domain/merge-train';
import { transition } from '../../src/merge-trains/domain/transition';

const verdicts: ReadonlySet<string> = new Set<Verdict>(['pending', 'green', 'failed', 'canceled', 'late']);

function buildOf(tokens: readonly string[]): CarBuild | undefined {
  const after = (mark: string) => tokens.find((token) => token.startsWith(mark))?.slice(mark.length);
  const [onto, sha] = tokens.find((token) => token.includes('>'))?.split('>') ?? [];
  if (onto === undefined || sha === undefined) return undefined;
  const pipelineId = after('#');
  return {
    onto,
    sha,
    pipelineId: pipelineId === undefined ? undefined : Number(pipelineId),
    requested: pipelineId !== undefined || tokens.includes('asked'),
    verdict: (tokens.find((token) => verdicts.has(token)) ?? 'pending') as Verdict,
    reruns: Number(after('again:') ?? 0),
    failedNames: after('~')?.split('+') ?? [],
  };
}

function carOf(text: string): Car {
  const [id, status, ...tokens] = text.split(' ');
  const after = (mark: string) => tokens.find((token) => token.startsWith(mark))?.slice(mark.length);
  const [reason, onto] = after('held:')?.split('@') ?? [];
  return {
    ...newCar(Number(id), 100 + Number(id)),
    status: status as CarStatus,
    build: buildOf(tokens),
    held: onto === undefined ? undefined : { onto, reason: reason as HoldReason },
    batchId: after('/') === undefined ? undefined : Number(after('/')),
    alone: tokens.includes('alone'),
  };
}

/**
 * A train in one line: `A | 1 fresh A>a #11 green, 2 idle` stands on a branch at A and has two cars, of which the first
 * is built on A as a and pipeline 11 has passed; `? | …` does not know where its branch is. Of a car may follow `asked`
 * (its pipeline is being opened), `again:1` (tested once more), `~unit+e2e` (what failed last), `/1` (in the batch of
 * car 1), `alone`, `held:conflict@A`.
 */
export function train(text: string, changes: Partial<Train> = {}): Train {
  const [base, cars = ''] = text.split(' | ');
  return {
    ...emptyTrain({ batchSize: 1 }),
    base: base === '?' ? undefined : base,
    cars: cars === '' ? [] : cars.split(', ').map(carOf),
    ...changes,
  };
}

const buildText = ({ onto, sha, pipelineId, requested, verdict, reruns, failedNames }: CarBuild): string[] => [
  `${onto}>${sha}`,
  ...(pipelineId === undefined ? (requested ? ['asked'] : []) : [`#${pipelineId}`]),
  ...(verdict === 'pending' ? [] : [verdict]),
  ...(reruns === 0 ? [] : [`again:${reruns}`]),
  ...(failedNames.length === 0 ? [] : [`~${failedNames.join('+')}`]),
];

const carText = ({ id, status, build, held, batchId, alone }: Car): string =>
  [
    id,
    status,
    ...(build === undefined ? [] : buildText(build)),
    ...(held === undefined ? [] : [`held:${held.reason}@${held.onto}`]),
    ...(batchId === undefined ? [] : [`/${batchId}`]),
    ...(alone ? ['alone'] : []),
  ].join(' ');

/** The line of a train. */
export const trainText = ({ base, cars }: Train): string =>
  cars.length === 0 ? (base ?? '?') : `${base ?? '?'} | ${cars.map(carText).join(', ')}`;

function stepText(step: Step): string {
  switch (step.kind) {
    case 'read_target':
      return 'read';
    case 'build':
      return `build ${step.carId} on ${step.onto}`;
    case 'open_pipeline':
      return `${step.rerun ? 'rerun' : 'open'} ${step.carIds.join('+')} at ${step.sha}`;
    case 'open_probe':
      return `probe ${step.sha}`;
    case 'cancel_pipeline':
      return `cancel ${step.pipelineId}`;
    case 'blame':
      return `blame ${step.carId} ${step.reason}`;
    case 'land':
      return `land ${step.carIds.join('+')} ${step.from}>${step.to}`;
    case 'settle':
      return `settle ${step.carId}`;
  }
}

const named = (names: readonly string[]): string => (names.length === 0 ? '' : ` ${names.join('+')}`);

function eventText(event: TrainEvent): string {
  switch (event.kind) {
    case 'added':
      return `${event.moved ? 'moved' : 'added'} ${event.carId} at ${event.position}${event.first ? ' first' : ''}`;
    case 'overtaken':
      return `overtaken ${event.carId} at ${event.position} by ${event.byCarId}`;
    case 'removed':
      return `removed ${event.carId} ${event.reason}${event.pipelineId === undefined ? '' : ` #${event.pipelineId}`}${event.blamedOn === undefined ? '' : ` on ${event.blamedOn.base}`}`;
    case 'merged':
      return `merged ${event.carId} ${event.sha}`;
    case 'flaked':
      return `flaked ${event.carId}${named(event.names)}`;
    case 'judged':
      return `judged ${event.pipelineId} ${event.verdict}${named(event.failedNames)}`;
    case 'state_changed':
      return `${event.state}${event.targetFailing ? ' by itself' : ''}${named(event.names)}`;
  }
}

/** The steps of an outcome, one line each. */
export const steps = (outcome: Outcome): string[] => outcome.steps.map(stepText);

/** The events of an outcome, one line each. */
export const events = (outcome: Outcome): string[] => outcome.events.map(eventText);

/** All of an outcome. */
export const seen = (outcome: Outcome) => ({
  train: trainText(outcome.train),
  steps: steps(outcome),
  events: events(outcome),
});

/** The outcome of signals that follow one another: the last train, and what all of them brought. */
export function following(before: Train, ...signals: readonly Signal[]): Outcome {
  let outcome: Outcome = { train: before, steps: [], events: [] };
  const all: TrainEvent[] = [];
  for (const signal of signals) {
    outcome = transition(outcome.train, signal);
    all.push(...outcome.events);
  }
  return { ...outcome, events: all };
}

/** What is due for a train. */
export const due = (before: Train): string[] => steps(transition(before, { kind: 'resumed' }));

/** A report of a pipeline. */
export const report = (pipelineId: number, verdict: Verdict, ...failedNames: string[]): Signal => ({
  kind: 'reported',
  pipelineId,
  verdict,
  failedNames,
});
