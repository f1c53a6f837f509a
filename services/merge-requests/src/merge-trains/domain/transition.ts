import type { RemovalReason, Verdict } from '../../merge-requests';
import { withBatchAt } from './batch-size';
import { namesThatStop } from './breaker';
import type { Car, CarBuild, Outcome, Probe, Signal, Step, Train, TrainEvent, TrainState } from './merge-train';
import { newCar } from './merge-train';
import {
  awaitsRerun,
  groupsOf,
  hasRoom,
  inOrder,
  nextToBuild,
  outOfBatch,
  testedBuild,
  testedBy,
  withBuild,
  withoutCars,
  withoutPipeline,
} from './merge-train-chain';

/** Weight of one more car in the moving average of how often cars fail. */
const newestWeight = 1 / 30;

/**
 * Why a car that is tested alone leaves now for a failure of its own; undefined while it has none, or what it stood on
 * has not landed.
 */
function blameOf(train: Train, car: Car): RemovalReason | undefined {
  const { status, held, build } = car;
  if (status === 'merging' || train.state === 'paused' || train.base === undefined) return undefined;
  if (held !== undefined) return held.onto === train.base ? held.reason : undefined;
  // Someone has cancelled what tests it: that is a decision and no failure.
  if (build?.verdict === 'canceled') return 'pipeline_canceled';
  if (build?.onto !== train.base || awaitsRerun(train, car)) return undefined;
  if (build.verdict === 'late') return 'timeout';
  return build.verdict === 'failed' ? 'pipeline_failed' : undefined;
}

/** Cars that leave now for a failure of their own. */
function blamedIn(train: Train): { car: Car; reason: RemovalReason }[] {
  const blamedCars: { car: Car; reason: RemovalReason }[] = [];
  for (const group of groupsOf(train.cars)) {
    const [car] = group;
    const reason = car !== undefined && group.length === 1 ? blameOf(train, car) : undefined;
    if (car !== undefined && reason !== undefined) blamedCars.push({ car, reason });
  }
  return blamedCars;
}

/** What is to be done for a train. */
function due(train: Train): Step[] {
  const [head] = groupsOf(train.cars);
  if (head === undefined && !train.targetFailing) return [];
  const steps: Step[] = [];
  const merging = train.cars[0]?.status === 'merging';
  if (merging) steps.push({ kind: 'settle', carId: (train.cars[0] as Car).id });
  else if (train.base === undefined) return train.cars.length === 0 ? [] : [{ kind: 'read_target' }];
  if (train.state === 'paused' || head === undefined) return steps;
  const tip = testedBuild(head);
  if (!merging && tip?.verdict === 'green' && head[0]?.build?.onto === train.base) {
    steps.push({ kind: 'land', carIds: head.map(({ id }) => id), from: train.base as string, to: tip.sha });
  }
  for (const { car, reason } of blamedIn(train)) steps.push({ kind: 'blame', carId: car.id, reason });
  const next = nextToBuild(train);
  if (next !== undefined && (next.continues || hasRoom(train))) {
    steps.push({ kind: 'build', carId: next.car.id, onto: next.onto });
  }
  return steps;
}

/**
 * The train after a change: in order, stopped where its target branch seems to fail, with what follows.
 * @param ended pipelines to cancel that cars may still show
 */
function outcome(
  before: Train,
  changed: Train,
  events: readonly TrainEvent[] = [],
  ended: readonly number[] = [],
): Outcome {
  const moving = inOrder(before, changed);
  const names = changed.state === 'paused' ? [] : namesThatStop(moving.train);
  const stops = names.length > 0;
  // A train that stops starts nothing, not even what the same change has made room for.
  const ordered = stops
    ? inOrder(before, {
        ...changed,
        state: 'paused',
        targetFailing: true,
        resumesAs: changed.state,
        probe: undefined,
      })
    : moving;
  const probed = withProbe(ordered.train);
  const stopped = { kind: 'state_changed', state: 'paused', targetFailing: true, names } as const;
  return {
    train: probed.train,
    steps: [
      ...ended.filter((id) => !isCancelled(ordered.steps, id)).flatMap(cancelled),
      ...ordered.steps,
      ...probed.steps,
      ...due(probed.train),
    ],
    events: stops ? [...events, stopped] : events,
  };
}

/** Tests the tip of the target branch itself while the train is stopped because of it. */
function withProbe(train: Train): { train: Train; steps: Step[] } {
  const { probe, base } = train;
  if (!train.targetFailing) return { train, steps: [] };
  if (base === undefined || probe?.sha === base) return { train, steps: [] };
  return {
    train: { ...train, probe: { sha: base, pipelineId: undefined, verdict: 'pending' } },
    steps: [...cancelled(probe?.pipelineId), { kind: 'open_probe', sha: base }],
  };
}

const cancelled = (pipelineId: number | undefined): Step[] =>
  pipelineId === undefined ? [] : [{ kind: 'cancel_pipeline', pipelineId }];

const idsOf = (probe: Probe | undefined): number[] => (probe?.pipelineId === undefined ? [] : [probe.pipelineId]);

const isCancelled = (steps: readonly Step[], pipelineId: number): boolean =>
  steps.some((step) => step.kind === 'cancel_pipeline' && step.pipelineId === pipelineId);

const unchanged = (train: Train): Outcome => ({ train, steps: due(train), events: [] });

/** The outcome of a signal that changes nothing by itself. */
function resumed(train: Train): Outcome {
  const next = outcome(train, train);
  return next.train === train ? unchanged(train) : next;
}

const replaced = (train: Train, carId: number, change: (car: Car) => Car): Train => ({
  ...train,
  cars: train.cars.map((car) => (car.id === carId ? change(car) : car)),
});

/**
 * The train without the cars for which `reasonOf` gives a reason. One that is being merged stays: its landing decides.
 */
function without(
  train: Train,
  reasonOf: (car: Car) => RemovalReason | undefined,
  blamed: ReadonlySet<number> = new Set(),
): Outcome {
  const removed = train.cars.flatMap((car) => {
    const reason = car.status === 'merging' ? undefined : reasonOf(car);
    return reason === undefined ? [] : [{ car, reason }];
  });
  if (removed.length === 0) return unchanged(train);
  const removedIds = new Set(removed.map(({ car }) => car.id));
  return outcome(
    train,
    { ...train, cars: withoutCars(train.cars, removedIds) },
    removed.map(({ car, reason }) => ({
      kind: 'removed',
      carId: car.id,
      reason,
      pipelineId: car.build?.pipelineId,
      blamedOn:
        blamed.has(car.id) && train.base !== undefined
          ? { base: car.held?.onto ?? car.build?.onto ?? train.base, build: car.build }
          : undefined,
    })),
  );
}

const withSample = (train: Train, failed: boolean): Train => ({
  ...train,
  failureRate: train.failureRate + ((failed ? 1 : 0) - train.failureRate) * newestWeight,
});

function blamed(train: Train, car: Car): Outcome {
  const reason = blamedIn(train).find((one) => one.car === car)?.reason;
  if (reason === undefined) return unchanged(train);
  const names = reason === 'pipeline_failed' ? (car.build?.failedNames ?? []) : [];
  const streak = names.length === 0 ? train.streak : [...train.streak, { mergeRequestId: car.mergeRequestId, names }];
  const counted = reason === 'pipeline_failed' || reason === 'timeout' ? withSample(train, true) : train;
  return without(
    { ...counted, streak: streak.slice(-streakKept) },
    ({ id }) => (id === car.id ? reason : undefined),
    // A cancellation is a decision, and proves nothing.
    new Set(reason === 'pipeline_canceled' ? [] : [car.id]),
  );
}

/** Failures that are remembered: more than the breaker looks at say nothing new. */
const streakKept = 10;

function reported(train: Train, pipelineId: number, verdict: Verdict, failedNames: readonly string[]): Outcome {
  const group = testedBy(train, pipelineId);
  const build = group && testedBuild(group);
  if (group === undefined || build === undefined || group[0]?.status === 'merging') return unchanged(train);
  // What was given up for lateness has been cancelled since: that is no verdict.
  if (build.verdict === 'late') return unchanged(train);
  const names = namesAfter(build, verdict, failedNames);
  if (build.verdict === verdict && names.join() === build.failedNames.join()) return unchanged(train);
  const ends = verdict !== 'pending' && verdict !== build.verdict;
  const events: TrainEvent[] = ends ? [{ kind: 'judged', pipelineId, verdict, failedNames: names }] : [];
  if (verdict === 'green' && build.failedNames.length > 0)
    events.push({ kind: 'flaked', carId: (group.at(-1) as Car).id, names: build.failedNames });
  return outcome(train, withBuild(train, group, { verdict, failedNames: names }), events);
}

/** What failed last: it is kept while the commit is tested again, and is over once that has passed. */
function namesAfter(build: CarBuild, verdict: Verdict, failedNames: readonly string[]): readonly string[] {
  if (verdict === 'failed') return failedNames;
  return verdict === 'green' ? [] : build.failedNames;
}

function timedOut(train: Train, pipelineId: number): Outcome {
  const group = testedBy(train, pipelineId);
  if (group === undefined || testedBuild(group)?.verdict !== 'pending' || train.state === 'paused')
    return unchanged(train);
  return outcome(
    train,
    withBuild(train, group, { verdict: 'late' }),
    [{ kind: 'judged', pipelineId, verdict: 'late', failedNames: [] }],
    [pipelineId],
  );
}

function targetRead(train: Train, sha: string | undefined): Outcome {
  // Between intent and result the target is on either side of the landing, which settles it.
  if (train.cars[0]?.status === 'merging') return unchanged(train);
  if (sha === undefined && train.base === undefined && train.cars.length === 0) return unchanged(train);
  if (sha === undefined) return without({ ...train, base: undefined }, () => 'target_branch_deleted');
  return sha === train.base ? resumed(train) : outcome(train, { ...train, base: sha });
}

function added(train: Train, { carId, mergeRequestId, first }: Extract<Signal, { kind: 'added' }>): Outcome {
  const aboard = train.cars.find(({ id }) => id === carId);
  if (aboard?.status === 'merging' || (aboard !== undefined && !first)) return unchanged(train);
  const others = withoutCars(train.cars, new Set([carId]));
  const place = first ? others.filter(({ status }) => status === 'merging').length : others.length;
  if (train.cars[place]?.id === carId) return unchanged(train);
  const car = aboard === undefined ? newCar(carId, mergeRequestId) : outOfBatch(train.cars, aboard);
  const cars = [...others.slice(0, place), car, ...others.slice(place)];
  const overtaken = first ? cars.slice(place + 1) : [];
  return outcome(train, { ...train, cars }, [
    { kind: 'added', carId, position: place + 1, first, moved: aboard !== undefined },
    ...overtaken.map(({ id }, at) => ({
      kind: 'overtaken' as const,
      carId: id,
      position: place + 2 + at,
      byCarId: carId,
    })),
  ]);
}

/** Cars that failed while the target branch seemed to get a fresh chance: what failed may not have been theirs. */
const pardoned = (car: Car): Car =>
  car.status === 'fresh' && car.build?.verdict === 'failed' ? withoutPipeline(car) : car;

function controlled(train: Train, state: TrainState): Outcome {
  if (train.state === state && !train.targetFailing) return unchanged(train);
  const changed: Train = train.targetFailing
    ? {
        ...train,
        state,
        targetFailing: false,
        resumesAs: 'running',
        probe: undefined,
        streak: [],
        cars: train.cars.map(pardoned),
      }
    : { ...train, state };
  return outcome(
    train,
    changed,
    [{ kind: 'state_changed', state, targetFailing: false, names: [] }],
    idsOf(train.probe),
  );
}

function probeReported(train: Train, pipelineId: number | undefined, verdict: Verdict): Outcome {
  const { probe } = train;
  if (probe === undefined || probe.pipelineId !== pipelineId || probe.verdict === verdict) return unchanged(train);
  if (verdict === 'green') return controlled(train, train.resumesAs);
  return outcome(train, { ...train, probe: { ...probe, verdict } });
}

function held(train: Train, car: Car, { onto, reason }: Extract<Signal, { kind: 'not_buildable' }>): Train {
  const position = train.cars.indexOf(car);
  return {
    ...train,
    cars: train.cars.map((one, at): Car => {
      if (one.id === car.id) return { ...one, batchId: undefined, held: { onto, reason } };
      // A batch is one run of neighbours: those behind wait for a batch of their own.
      return at > position && car.batchId !== undefined && one.batchId === car.batchId
        ? { ...one, batchId: undefined }
        : one;
    }),
  };
}

/** Rebuilds a car on the same place: its build is not what the project wants any more, or has no pipeline. */
const rebuilt = (train: Train, carId: number): Outcome =>
  outcome(
    train,
    replaced(train, carId, (car) => ({ ...car, status: 'stale', build: undefined })),
  );

/** Whether a car may begin to land with all that the branch would move over: `to` is where that ends. */
function mayLand(train: Train, position: number, to: string): boolean {
  const [head = []] = groupsOf(train.cars);
  return (
    train.state !== 'paused' &&
    position < head.length &&
    testedBuild(head)?.verdict === 'green' &&
    testedBuild(head)?.sha === to &&
    head[0]?.build?.onto === train.base &&
    head.slice(0, position).every(({ status }) => status === 'merging') &&
    head[position]?.status === 'fresh'
  );
}

function ofCar(train: Train, car: Car, signal: Extract<Signal, { carId: number }>): Outcome {
  const position = train.cars.indexOf(car);
  const { build } = car;
  const next = nextToBuild(train);
  const wanted = next?.car === car ? next.onto : undefined;
  switch (signal.kind) {
    case 'removed':
      return without(train, ({ id }) => (id === car.id ? signal.reason : undefined));
    case 'blamed':
      return blamed(train, car);
    case 'built': {
      if (wanted === undefined || wanted !== signal.onto || train.state === 'paused') return unchanged(train);
      const { onto, sha } = signal;
      const planned = withBatchAt(train, position);
      return outcome(
        train,
        replaced(planned, car.id, (own) => ({ ...own, status: 'fresh', build: newBuild(onto, sha) })),
      );
    }
    case 'not_buildable':
      if (wanted === undefined || wanted !== signal.onto) return unchanged(train);
      return outcome(train, held(train, car, signal));
    case 'outdated':
      return build === undefined || car.status === 'merging' ? unchanged(train) : rebuilt(train, car.id);
    case 'pipeline_opened': {
      if (build?.sha !== signal.sha || build.pipelineId !== undefined || !build.requested) return unchanged(train);
      return unchanged(opened(train, car, signal.pipelineId));
    }
    case 'landing_begun':
      return mayLand(train, position, signal.to) && build?.sha === signal.sha
        ? outcome(
            train,
            replaced(train, car.id, () => ({ ...car, status: 'merging' })),
          )
        : unchanged(train);
    case 'landed': {
      if (car.status !== 'merging' || build?.sha !== signal.sha || position !== 0) return unchanged(train);
      const behind = { ...train, cars: train.cars.slice(1) };
      const landed = withSample({ ...behind, base: build.sha, streak: [] }, build.reruns > 0);
      return outcome(behind, landed, [{ kind: 'merged', carId: car.id, sha: build.sha }]);
    }
    case 'landing_failed': {
      if (car.status !== 'merging' || build?.sha !== signal.sha) return unchanged(train);
      const again = replaced(train, car.id, () => ({ ...car, status: 'stale', build: undefined }));
      return outcome(train, { ...again, base: undefined });
    }
    default:
      return unchanged(train);
  }
}

const newBuild = (onto: string, sha: string): CarBuild => ({
  onto,
  sha,
  pipelineId: undefined,
  requested: false,
  verdict: 'pending',
  reruns: 0,
  failedNames: [],
});

/** All cars that a new pipeline tests show it. */
const opened = (train: Train, tip: Car, pipelineId: number): Train =>
  withBuild(train, groupsOf(train.cars).find((cars) => cars.includes(tip)) ?? [tip], { pipelineId });

/**
 * A train and a signal give a train, what is to be done, and what is to be published. Pure: no clock, no git, no
 * database (D8).
 */
export function transition(train: Train, signal: Signal): Outcome {
  switch (signal.kind) {
    case 'resumed':
      return resumed(train);
    case 'target_read':
      return targetRead(train, signal.sha);
    case 'switched_off':
      return without(train, () => 'trains_disabled');
    case 'added':
      return added(train, signal);
    case 'reported':
      return reported(train, signal.pipelineId, signal.verdict, signal.failedNames);
    case 'timed_out':
      return timedOut(train, signal.pipelineId);
    case 'controlled':
      return controlled(train, signal.state);
    case 'probe_opened':
      return train.probe?.sha === signal.sha && train.probe.pipelineId === undefined
        ? unchanged({ ...train, probe: { ...train.probe, pipelineId: signal.pipelineId } })
        : unchanged(train);
    case 'probe_reported':
      return probeReported(train, signal.pipelineId, signal.verdict);
    case 'probe_due':
      return train.probe !== undefined && train.probe.verdict !== 'pending'
        ? outcome(train, { ...train, probe: undefined }, [], idsOf(train.probe))
        : unchanged(train);
    default: {
      const car = train.cars.find(({ id }) => id === signal.carId);
      return car === undefined ? unchanged(train) : ofCar(train, car, signal);
    }
  }
}
