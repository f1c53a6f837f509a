import type { HoldReason, Signal, Step, Train, TrainEvent } from './merge-train';
import { type SimulatedClock, simulatedClock } from './simulated-clock';
import { transition } from './transition';

/** A pipeline of a simulation, and how it will end. */
export interface SimulatedRun {
  /** Milliseconds until it ends. */
  readonly lasts: number;
  /** The names that fail; empty: it passes. */
  readonly failedNames: readonly string[];
}

/** What a simulated pipeline tests. */
export interface SimulatedTest {
  readonly sha: string;
  /** The tip of what it tests; undefined: the target branch itself. */
  readonly carId: number | undefined;
  /** A merge request that fails is in it, and has not left. */
  readonly hasCulprit: boolean;
}

/** The world around a simulated train. */
export interface SimulatedWorld {
  /** Whether a car fails by itself: whatever is tested with it fails too. */
  isCulprit(carId: number): boolean;
  /** Called once for each pipeline, when it is opened. */
  runOf(test: SimulatedTest): SimulatedRun;
  /** Why a car cannot be built on a commit, of which `holds` says whether the build of a car is in it. */
  holdOf?(carId: number, holds: (carId: number) => boolean): HoldReason | undefined;
  /** What the train learns of a pipeline that ended, instead of its report. */
  signalOf?(carId: number, failedNames: readonly string[]): Signal | undefined;
  /** What happened, at a time. */
  notice(event: TrainEvent, at: number): void;
}

interface Commit {
  readonly onto: string | undefined;
  readonly carId: number;
  readonly hasCulprit: boolean;
}

/** A train in a simulation. Its builds and landings take no time. */
export interface SimulatedTrain {
  readonly clock: SimulatedClock;
  readonly train: () => Train;
  /** Pipelines that were opened. */
  readonly opened: () => number;
  /** What it has cost so far: the cars in it and a base, summed over all signals; some 0.3 µs each. */
  readonly effort: () => number;
  /** Gives the train a signal, and does what follows from it. */
  readonly give: (signal: Signal) => void;
  /** Plans the end of a pipeline that runs already, `after` milliseconds from now. */
  readonly running: (pipelineId: number, carId: number, run: SimulatedRun) => void;
  /** What a commit would be tested as; for the builds that the train began with. */
  readonly testOf: (sha: string, carId: number) => SimulatedTest;
  /** Does what is due now; throws when that does not end. */
  readonly settle: () => void;
}

/** What a signal costs whatever the number of cars, in cars. */
const baseEffort = 15;
/** More steps than that without a pipeline that ends are a livelock. */
const mostSteps = 20_000;

/**
 * Runs the machine of merge trains in a simulated world: the same transitions as the service, with made-up commits and
 * pipelines. What the train begins with may have builds; its pipelines have to be planned with `running`.
 */
export function simulateTrain(initial: Train, world: SimulatedWorld): SimulatedTrain {
  const clock = simulatedClock();
  const commits = new Map<string, Commit>();
  const live = new Set<number>();
  let train = initial;
  let due: readonly Step[] = [];
  let shas = 0;
  let pipelines = 0;
  let effort = 0;

  for (const { id, build } of initial.cars) {
    if (build !== undefined) commit(build.sha, build.onto, id);
  }

  function commit(sha: string, onto: string, carId: number): void {
    commits.set(sha, { onto, carId, hasCulprit: world.isCulprit(carId) || (commits.get(onto)?.hasCulprit ?? false) });
  }

  function holds(sha: string, carId: number): boolean {
    for (let found = commits.get(sha); found !== undefined; found = commits.get(found.onto ?? '')) {
      if (found.carId === carId) return true;
    }
    return false;
  }

  const testOf = (sha: string, carId: number | undefined): SimulatedTest => ({
    sha,
    carId,
    hasCulprit: commits.get(sha)?.hasCulprit ?? false,
  });

  function running(pipelineId: number, carId: number, { lasts, failedNames }: SimulatedRun): void {
    live.add(pipelineId);
    clock.plan(clock.now() + lasts, () => {
      if (!live.delete(pipelineId)) return;
      const verdict = failedNames.length > 0 ? 'failed' : 'green';
      apply(world.signalOf?.(carId, failedNames) ?? { kind: 'reported', pipelineId, verdict, failedNames });
      settle();
    });
  }

  function probe(sha: string, pipelineId: number): void {
    const { lasts, failedNames } = world.runOf(testOf(sha, undefined));
    apply({ kind: 'probe_opened', sha, pipelineId });
    clock.plan(clock.now() + lasts, () => {
      apply({ kind: 'probe_reported', pipelineId, verdict: failedNames.length > 0 ? 'failed' : 'green' });
      if (train.targetFailing) apply({ kind: 'probe_due' });
      settle();
    });
  }

  /** What the service does in the transaction that saves the train. */
  function save(step: Step): void {
    if (step.kind === 'cancel_pipeline') live.delete(step.pipelineId);
    if (step.kind !== 'open_pipeline' && step.kind !== 'open_probe') return;
    pipelines += 1;
    // Below 0, so that none is taken for a pipeline that the train began with.
    const pipelineId = -pipelines;
    if (step.kind === 'open_probe') {
      probe(step.sha, pipelineId);
      return;
    }
    const carId = step.carIds[step.carIds.length - 1] as number;
    apply({ kind: 'pipeline_opened', carId, sha: step.sha, pipelineId });
    running(pipelineId, carId, world.runOf(testOf(step.sha, carId)));
  }

  function apply(signal: Signal): void {
    const next = transition(train, signal);
    train = next.train;
    due = next.steps;
    effort += train.cars.length + baseEffort;
    for (const event of next.events) world.notice(event, clock.now());
    for (const step of next.steps) save(step);
  }

  function build(carId: number, onto: string): void {
    const reason = world.holdOf?.(carId, (other) => holds(onto, other));
    if (reason !== undefined) {
      apply({ kind: 'not_buildable', carId, onto, reason });
      return;
    }
    shas += 1;
    const sha = `simulated-${shas}`;
    commit(sha, onto, carId);
    apply({ kind: 'built', carId, onto, sha });
  }

  const shaOf = (carId: number): string => train.cars.find(({ id }) => id === carId)?.build?.sha ?? '';

  function land(carIds: readonly number[]): void {
    const to = shaOf(carIds.at(-1) ?? 0);
    for (const carId of carIds) apply({ kind: 'landing_begun', carId, sha: shaOf(carId), to });
    for (const carId of carIds) apply({ kind: 'landed', carId, sha: shaOf(carId) });
  }

  /** Does a step of the service's worker; false for one that is not its. */
  function work(step: Step): boolean {
    if (step.kind === 'build') build(step.carId, step.onto);
    else if (step.kind === 'blame') apply({ kind: 'blamed', carId: step.carId });
    else if (step.kind === 'land') land(step.carIds);
    else if (step.kind === 'settle') apply({ kind: 'landed', carId: step.carId, sha: shaOf(step.carId) });
    else if (step.kind === 'read_target') apply({ kind: 'target_read', sha: 'simulated-0' });
    else return false;
    return true;
  }

  function settle(): void {
    for (let steps = 0; due.some(work); steps += 1) {
      if (steps > mostSteps) throw new Error('the simulated train does not come to rest');
    }
  }

  return {
    clock,
    train: () => train,
    opened: () => pipelines,
    effort: () => effort,
    give(signal) {
      apply(signal);
      settle();
    },
    running,
    testOf,
    settle,
  };
}
