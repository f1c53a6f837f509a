import type { CarSignal, RemovalReason, Verdict } from '../../merge-requests';

/** State of a car that has not landed (G-3-2). */
export type CarStatus = 'idle' | 'stale' | 'fresh' | 'merging';

/** A commit that may land, and the verdict of the pipeline that tests it. */
export interface CarBuild {
  /** Commit it was built on: the tip of the nearest car ahead that is not failing, or of the target branch. */
  readonly onto: string;
  /** The commit itself: what lands. */
  readonly sha: string;
  /** The pipeline that tests it, with all cars of its batch; undefined until that is opened. */
  readonly pipelineId: number | undefined;
  /** Its pipeline is open, or is opened in the transaction that saves the train. */
  readonly requested: boolean;
  readonly verdict: Verdict;
  /** How often the same commit was tested again. */
  readonly reruns: number;
  /** The names that failed last on this commit. */
  readonly failedNames: readonly string[];
}

/** Why a car cannot be built on a commit. */
export type HoldReason = 'conflict' | 'no_changes' | 'build_failed';

/** A car: one merge request of the queue. */
export interface Car {
  readonly id: number;
  readonly mergeRequestId: number;
  readonly status: CarStatus;
  /** Set while the car is `fresh` or `merging`. */
  readonly build: CarBuild | undefined;
  /** It cannot be built on this commit, and waits until another one is ahead of it. */
  readonly held: { readonly onto: string; readonly reason: HoldReason } | undefined;
  /** The first car of those it is tested together with, neighbours in the queue. */
  readonly batchId: number | undefined;
  /** It was in a batch that failed: it is tested alone. */
  readonly alone: boolean;
}

/** What a train is to do. */
export type TrainState = 'running' | 'paused' | 'draining';

/** The pipeline on the tip of the target branch of a train that has stopped itself. */
export interface Probe {
  readonly sha: string;
  readonly pipelineId: number | undefined;
  readonly verdict: Verdict;
}

/**
 * The queue of one target branch. A car is built on the nearest car ahead that is not failing, or on `base`. A
 * commit's id includes its history, so a build whose `onto` is that commit is current, whatever happened while it was
 * made. Cars with the same `batchId` form one chain, of which the tip alone is tested.
 */
export interface Train {
  /** The tip of the target branch as far as the train knows; undefined when it has to be read. */
  readonly base: string | undefined;
  /** Pipelines that run at the same time, from 1. */
  readonly parallel: number;
  /** How often a failure is tested again before its car is blamed, from 0. */
  readonly retries: number;
  /** Most cars that are tested together, from 1. */
  readonly batchSize: number;
  /** How often a car fails, as a moving average, 0 to 1. */
  readonly failureRate: number;
  readonly state: TrainState;
  /** It stopped itself: cars in a row failed for one name. Then `state` is `paused`. */
  readonly targetFailing: boolean;
  /** What it does once a probe has passed: what it did before it stopped itself. */
  readonly resumesAs: TrainState;
  readonly probe: Probe | undefined;
  /** The merge requests that left for a failure since the last landing, and the names that failed. */
  readonly streak: readonly { readonly mergeRequestId: number; readonly names: readonly string[] }[];
  /** In queue order. */
  readonly cars: readonly Car[];
}

/**
 * An input of the state machine. A signal about a car or a pipeline that is not there, or a build that is not current,
 * changes nothing.
 */
export type Signal =
  | CarSignal
  /** Nothing happened: a setting may have changed, or a slot may have become free. */
  | { readonly kind: 'resumed' }
  /** `first`: at the front, behind what is being merged alone; a car that is on the train already is moved there. */
  | { readonly kind: 'added'; readonly carId: number; readonly mergeRequestId: number; readonly first: boolean }
  /** The target branch was read; undefined: it does not exist. */
  | { readonly kind: 'target_read'; readonly sha: string | undefined }
  | { readonly kind: 'built'; readonly carId: number; readonly onto: string; readonly sha: string }
  | { readonly kind: 'not_buildable'; readonly carId: number; readonly onto: string; readonly reason: HoldReason }
  /** The setting by which it was built has changed. */
  | { readonly kind: 'outdated'; readonly carId: number }
  | {
      readonly kind: 'pipeline_opened';
      readonly carId: number;
      readonly sha: string;
      readonly pipelineId: number;
    }
  | {
      readonly kind: 'reported';
      readonly pipelineId: number;
      readonly verdict: Verdict;
      /** The names that failed. */
      readonly failedNames: readonly string[];
    }
  | { readonly kind: 'timed_out'; readonly pipelineId: number }
  | { readonly kind: 'landed'; readonly carId: number; readonly sha: string }
  | { readonly kind: 'controlled'; readonly state: TrainState }
  | { readonly kind: 'probe_opened'; readonly sha: string; readonly pipelineId: number }
  | { readonly kind: 'probe_reported'; readonly pipelineId: number | undefined; readonly verdict: Verdict }
  /** The last probe failed some time ago. */
  | { readonly kind: 'probe_due' }
  | { readonly kind: 'switched_off' };

/**
 * Something to be done. Doing it twice does no harm: its result is a signal that is only accepted while it is
 * current. Pipelines are opened and cancelled in the transaction that saves the train: those steps are named once,
 * when they fall due; the others each time the train is read.
 */
export type Step =
  | { readonly kind: 'read_target' }
  | { readonly kind: 'build'; readonly carId: number; readonly onto: string }
  /** `carIds`: what it tests, the tip of the chain last. */
  | {
      readonly kind: 'open_pipeline';
      readonly carIds: readonly number[];
      readonly sha: string;
      readonly rerun: boolean;
    }
  | { readonly kind: 'open_probe'; readonly sha: string }
  | { readonly kind: 'cancel_pipeline'; readonly pipelineId: number }
  /** Remove a car for `reason`: everything it stood on has landed, so that it alone is the cause. */
  | { readonly kind: 'blame'; readonly carId: number; readonly reason: RemovalReason }
  /** Move the target branch from `from` to `to`, and only so; `carIds` land by it, in this order. */
  | { readonly kind: 'land'; readonly carIds: readonly number[]; readonly from: string; readonly to: string }
  /** A landing was begun: find out by the target branch how it ended. */
  | { readonly kind: 'settle'; readonly carId: number };

/** What is published, and what is counted. */
export type TrainEvent =
  /** `position` counts from 1. */
  | {
      readonly kind: 'added';
      readonly carId: number;
      readonly position: number;
      readonly first: boolean;
      readonly moved: boolean;
    }
  | { readonly kind: 'overtaken'; readonly carId: number; readonly position: number; readonly byCarId: number }
  | {
      readonly kind: 'removed';
      readonly carId: number;
      readonly reason: RemovalReason;
      readonly pipelineId: number | undefined;
      /** What it failed on, where it was blamed. */
      readonly blamedOn: { readonly base: string; readonly build: CarBuild | undefined } | undefined;
    }
  | { readonly kind: 'merged'; readonly carId: number; readonly sha: string }
  /** A commit that had failed passed. */
  | { readonly kind: 'flaked'; readonly carId: number; readonly names: readonly string[] }
  /** A pipeline has ended with a verdict. */
  | {
      readonly kind: 'judged';
      readonly pipelineId: number;
      readonly verdict: Exclude<Verdict, 'pending'>;
      readonly failedNames: readonly string[];
    }
  /** `names`: what failed, where the train stopped itself. */
  | {
      readonly kind: 'state_changed';
      readonly state: TrainState;
      readonly targetFailing: boolean;
      readonly names: readonly string[];
    };

/** The result of a signal. `train` is the same object when the signal changed nothing. */
export interface Outcome {
  readonly train: Train;
  readonly steps: readonly Step[];
  readonly events: readonly TrainEvent[];
}

/** Cars of one train tested at the same time by default (G-8-15). */
export const defaultParallelCars = 20;

/** What a train is set to. */
export type TrainSettings = Pick<Train, 'parallel' | 'retries' | 'batchSize'>;

/** How often a car fails as long as nothing is known. */
export const assumedFailureRate = 0.05;

/** A train without cars. */
export const emptyTrain = ({
  parallel = defaultParallelCars,
  retries = 1,
  batchSize = 4,
}: Partial<TrainSettings> = {}): Train => ({
  base: undefined,
  parallel,
  retries,
  batchSize,
  failureRate: assumedFailureRate,
  state: 'running',
  targetFailing: false,
  resumesAs: 'running',
  probe: undefined,
  streak: [],
  cars: [],
});

/** A car that has just been added. */
export const newCar = (id: number, mergeRequestId: number): Car => ({
  id,
  mergeRequestId,
  status: 'idle',
  build: undefined,
  held: undefined,
  batchId: undefined,
  alone: false,
});
