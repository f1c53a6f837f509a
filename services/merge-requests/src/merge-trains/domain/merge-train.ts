import type { CarSignal, RemovalReason, Verdict } from '../../merge-requests';

/** State of a car that has not landed (G-3-2). */
export type CarStatus = 'idle' | 'stale' | 'fresh' | 'merging';

/** A commit that may land, and the verdict of its pipeline. */
export interface CarBuild {
  /** Commit it was built on: the tip ahead. */
  readonly onto: string;
  /** The commit itself: what is tested, and what lands. */
  readonly sha: string;
  /** Its pipeline; undefined until that is opened. */
  readonly pipelineId: number | undefined;
  readonly verdict: Verdict;
}

/** A car: one merge request of the queue. */
export interface Car {
  readonly id: number;
  readonly status: CarStatus;
  /** Set while the car is `fresh` or `merging`. */
  readonly build: CarBuild | undefined;
}

/**
 * The queue of one target branch. Its built cars come first and form a chain: the first is built on `base`, each other
 * on the commit of the one ahead. A commit's id includes its history, so a build whose `onto` is the
 * tip ahead is current, whatever happened while it was made.
 */
export interface Train {
  /** The tip of the target branch as far as the train knows; undefined when it has to be read. */
  readonly base: string | undefined;
  /** Cars tested at the same time, from 1. */
  readonly parallel: number;
  /** In queue order. */
  readonly cars: readonly Car[];
}

/**
 * An input of the state machine. A signal about a car that is not there, or a build that is not current, changes
 * nothing.
 */
export type Signal =
  | CarSignal
  /** Nothing happened: returns what is to be done. */
  | { readonly kind: 'resumed' }
  | { readonly kind: 'added'; readonly carId: number }
  /** The target branch was read; undefined: it does not exist. */
  | { readonly kind: 'target_read'; readonly sha: string | undefined }
  | { readonly kind: 'built'; readonly carId: number; readonly onto: string; readonly sha: string }
  | { readonly kind: 'pipeline_opened'; readonly carId: number; readonly sha: string; readonly pipelineId: number }
  /** The pipeline was deleted. */
  | { readonly kind: 'pipeline_lost'; readonly carId: number }
  | { readonly kind: 'landed'; readonly carId: number; readonly sha: string }
  | { readonly kind: 'switched_off' };

/**
 * Something to be done. Doing it twice does no harm: its result is a signal that is only accepted while it is
 * current. Pipelines are opened and cancelled in the transaction that saves the train: those two steps are named once,
 * when they fall due; the others each time the train is read.
 */
export type Step =
  | { readonly kind: 'read_target' }
  | { readonly kind: 'build'; readonly carId: number; readonly onto: string }
  | { readonly kind: 'open_pipeline'; readonly carId: number; readonly sha: string }
  | { readonly kind: 'cancel_pipeline'; readonly pipelineId: number }
  /** Move the target branch from `from` to `to`, and only so. */
  | { readonly kind: 'land'; readonly carId: number; readonly from: string; readonly to: string }
  /** A landing was begun: find out by the target branch how it ended. */
  | { readonly kind: 'settle'; readonly carId: number };

/** What is published. */
export type TrainEvent =
  /** `position` counts from 1. */
  | { readonly kind: 'added'; readonly carId: number; readonly position: number }
  | {
      readonly kind: 'removed';
      readonly carId: number;
      readonly reason: RemovalReason;
      readonly pipelineId: number | undefined;
    }
  | { readonly kind: 'merged'; readonly carId: number; readonly sha: string };

/** The result of a signal. `train` is the same object when the signal changed nothing. */
export interface Outcome {
  readonly train: Train;
  readonly steps: readonly Step[];
  readonly events: readonly TrainEvent[];
}

/** Cars of one train tested at the same time by default (G-8-15). */
export const defaultParallelCars = 20;

/** A train without cars. */
export const emptyTrain = (parallel: number = defaultParallelCars): Train => ({ base: undefined, parallel, cars: [] });

/**
 * The commit a car at `position` is to be built on; undefined when one ahead is not built, or the target branch is
 * unknown.
 */
function tipAhead({ base, cars }: Train, position: number): string | undefined {
  return position === 0 ? base : cars[position - 1]?.build?.sha;
}

/** What is to be done for a train. */
function due(train: Train): Step[] {
  const [head] = train.cars;
  if (head === undefined) return [];
  const steps: Step[] = [];
  if (head.status === 'merging') steps.push({ kind: 'settle', carId: head.id });
  else if (train.base === undefined) return [{ kind: 'read_target' }];
  else if (head.build?.verdict === 'green') {
    steps.push({ kind: 'land', carId: head.id, from: head.build.onto, to: head.build.sha });
  }
  const next = train.cars.findIndex(({ build }) => build === undefined);
  const car = train.cars[next];
  const onto = next === -1 ? undefined : tipAhead(train, next);
  if (car !== undefined && onto !== undefined && next < train.parallel) {
    steps.push({ kind: 'build', carId: car.id, onto });
  }
  return steps;
}

const superseded = ({ build }: Car): Step[] =>
  build?.pipelineId === undefined ? [] : [{ kind: 'cancel_pipeline', pipelineId: build.pipelineId }];

/** Takes the builds that no longer lie on the tip ahead of them from their cars; their pipelines are cancelled. */
function restate(train: Train): { train: Train; steps: Step[] } {
  const steps: Step[] = [];
  const cars: Car[] = [];
  let tip = train.base;
  let broken = false;
  for (const car of train.cars) {
    const current =
      car.status === 'merging' || (!broken && car.build !== undefined && car.build.onto === tip && tip !== undefined);
    if (current) cars.push(car);
    else {
      if (car.build !== undefined) steps.push(...superseded(car));
      cars.push(car.build === undefined ? car : { ...car, status: 'stale', build: undefined });
      broken = true;
    }
    tip = car.build?.sha;
  }
  return { train: { ...train, cars }, steps };
}

/**
 * The train without the cars for which `reasonOf` gives a reason. One that is being merged stays: its landing decides.
 */
function without(train: Train, reasonOf: (car: Car) => RemovalReason | undefined): Outcome {
  const removed = train.cars.flatMap((car) => {
    const reason = car.status === 'merging' ? undefined : reasonOf(car);
    return reason === undefined ? [] : [{ car, reason }];
  });
  if (removed.length === 0) return unchanged(train);
  const removedIds = new Set(removed.map(({ car }) => car.id));
  const restated = restate({ ...train, cars: train.cars.filter(({ id }) => !removedIds.has(id)) });
  return outcome(
    restated.train,
    [...removed.flatMap(({ car }) => superseded(car)), ...restated.steps],
    removed.map(({ car, reason }) => ({
      kind: 'removed',
      carId: car.id,
      reason,
      pipelineId: car.build?.pipelineId,
    })),
  );
}

const outcome = (train: Train, steps: readonly Step[] = [], events: readonly TrainEvent[] = []): Outcome => ({
  train,
  steps: [...steps, ...due(train)],
  events,
});

const unchanged = (train: Train): Outcome => outcome(train);

const replaced = (train: Train, carId: number, change: (car: Car) => Car): Train => ({
  ...train,
  cars: train.cars.map((car) => (car.id === carId ? change(car) : car)),
});

function reported(train: Train, car: Car, build: CarBuild, verdict: Verdict): Outcome {
  if (car.status === 'merging' || build.verdict === verdict) return unchanged(train);
  if (verdict === 'failed') return without(train, ({ id }) => (id === car.id ? 'pipeline_failed' : undefined));
  if (verdict === 'canceled') return without(train, ({ id }) => (id === car.id ? 'pipeline_canceled' : undefined));
  return outcome(replaced(train, car.id, () => ({ ...car, build: { ...build, verdict } })));
}

function targetRead(train: Train, sha: string | undefined): Outcome {
  // Between intent and result the target is on either side of the landing, which settles it.
  if (train.cars[0]?.status === 'merging') return unchanged(train);
  if (sha === undefined) {
    return without({ ...train, base: undefined }, () => 'target_branch_deleted');
  }
  if (sha === train.base) return unchanged(train);
  const restated = restate({ ...train, base: sha });
  return outcome(restated.train, restated.steps);
}

/**
 * A train and a signal give a train, what is to be done, and what is to be published. Pure: no clock, no git, no
 * database (D8).
 */
export function transition(train: Train, signal: Signal): Outcome {
  if (signal.kind === 'resumed') return unchanged(train);
  if (signal.kind === 'target_read') return targetRead(train, signal.sha);
  if (signal.kind === 'switched_off') return without(train, () => 'trains_disabled');
  const position = train.cars.findIndex(({ id }) => id === signal.carId);
  const car = train.cars[position];
  if (signal.kind === 'added') {
    if (car !== undefined) return unchanged(train);
    const cars = [...train.cars, { id: signal.carId, status: 'idle', build: undefined } as const];
    return outcome({ ...train, cars }, [], [{ kind: 'added', carId: signal.carId, position: cars.length }]);
  }
  if (car === undefined) return unchanged(train);
  const { build } = car;
  const wanted = build === undefined && position < train.parallel && tipAhead(train, position);
  switch (signal.kind) {
    case 'removed':
      return without(train, ({ id }) => (id === car.id ? signal.reason : undefined));
    case 'built':
      if (wanted !== signal.onto) return unchanged(train);
      return outcome(
        replaced(train, car.id, () => ({
          ...car,
          status: 'fresh',
          build: { onto: signal.onto, sha: signal.sha, pipelineId: undefined, verdict: 'pending' },
        })),
        [{ kind: 'open_pipeline', carId: car.id, sha: signal.sha }],
      );
    case 'not_buildable':
      if (wanted !== signal.onto) return unchanged(train);
      return without(train, ({ id }) => (id === car.id ? signal.reason : undefined));
    case 'pipeline_opened':
      if (build?.sha !== signal.sha || build.pipelineId !== undefined) return unchanged(train);
      return outcome(replaced(train, car.id, () => ({ ...car, build: { ...build, pipelineId: signal.pipelineId } })));
    case 'reported':
      if (build?.pipelineId !== signal.pipelineId) return unchanged(train);
      return reported(train, car, build, signal.verdict);
    case 'pipeline_lost': {
      if (build === undefined || car.status === 'merging') return unchanged(train);
      const lost = replaced(train, car.id, () => ({ ...car, status: 'stale', build: undefined }));
      const restated = restate(lost);
      return outcome(restated.train, [...superseded(car), ...restated.steps]);
    }
    case 'timed_out':
      if (build?.pipelineId !== signal.pipelineId || build.verdict !== 'pending') return unchanged(train);
      return without(train, ({ id }) => (id === car.id ? 'timeout' : undefined));
    case 'landing_begun': {
      const lands = position === 0 && car.status === 'fresh' && build?.sha === signal.sha && build.verdict === 'green';
      return lands ? outcome(replaced(train, car.id, () => ({ ...car, status: 'merging' }))) : unchanged(train);
    }
    case 'landed': {
      if (car.status !== 'merging' || build?.sha !== signal.sha) return unchanged(train);
      const rest = { ...train, base: build.sha, cars: train.cars.slice(1) };
      return outcome(rest, [], [{ kind: 'merged', carId: car.id, sha: build.sha }]);
    }
    case 'landing_failed': {
      if (car.status !== 'merging' || build?.sha !== signal.sha) return unchanged(train);
      const again = replaced(train, car.id, () => ({ ...car, status: 'stale', build: undefined }));
      const restated = restate({ ...again, base: undefined });
      return outcome(restated.train, [...superseded(car), ...restated.steps]);
    }
  }
}

/** The newest report of one name of a car's pipeline. */
export interface NamedStatus {
  readonly name: string;
  readonly status: string;
  readonly allowFailure: boolean;
}

/**
 * The verdict of a car's pipeline (D8). With names that the project requires, those decide alone: all of them have
 * succeeded, or one of them has failed. Without, every name decides, as in the pipeline's own status.
 * @param skippedCounts the project takes a skipped pipeline for one that succeeded
 */
export function verdictOf(
  pipelineStatus: string,
  names: readonly NamedStatus[],
  required: readonly string[],
  skippedCounts: boolean,
): Verdict {
  if (required.length === 0) {
    if (pipelineStatus === 'success' || (pipelineStatus === 'skipped' && skippedCounts)) return 'green';
    if (pipelineStatus === 'canceled') return 'canceled';
    return pipelineStatus === 'failed' || pipelineStatus === 'skipped' ? 'failed' : 'pending';
  }
  const verdicts = required.map((name): Verdict => {
    const found = names.find((one) => one.name === name);
    if (found === undefined) return pipelineStatus === 'canceled' ? 'canceled' : 'pending';
    if (found.status === 'success' || (found.status === 'failed' && found.allowFailure)) return 'green';
    if (found.status === 'skipped') return skippedCounts ? 'green' : 'failed';
    return found.status === 'failed' || found.status === 'canceled' ? found.status : 'pending';
  });
  return (['failed', 'canceled', 'pending'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'green';
}
