import type { RemovalReason, Verdict } from '../../src/merge-requests';
import {
  type Car,
  emptyTrain,
  type HoldReason,
  type Signal,
  type Step,
  type Train,
  type TrainSettings,
  type TrainState,
} from '../../src/merge-trains/domain/merge-train';
import type { transition } from '../../src/merge-trains/domain/transition';
import { judge } from '../../src/merge-trains/domain/verdict';
import { type CommitStatusState, pipelineStatusOf } from '../../src/pipelines/domain/pipeline-status';
import { SimulatedGit } from './simulated-git';

/** A pipeline of the train, and what the outside CI says of it. */
export interface Pipeline {
  readonly id: number;
  /** What it tests, the tip last; none: it is a probe of the target branch. */
  readonly carIds: readonly number[];
  readonly sha: string;
  readonly names: Map<string, CommitStatusState>;
  /** The newest verdict that the train has accepted. */
  heard: Verdict;
  /** The train has accepted once that it failed. */
  heardFailed: boolean;
  /** The names for which the train has ever accepted that it failed. */
  readonly failedNames: Set<string>;
  canceled: boolean;
  deleted: boolean;
}

/** What a landing that was begun is to move. */
export interface Plan {
  readonly carIds: readonly number[];
  readonly shas: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly pipelineId: number;
}

/** Signals of one transaction on their way: they may arrive late, twice, or after others that were sent later. */
export interface PendingSignals {
  readonly signals: readonly Signal[];
  /** None of them holds unless all of them do. */
  readonly whole: boolean;
}

/** What a project demands of a pipeline. */
export interface Demands {
  readonly required: readonly string[];
  readonly count: number;
}

/** Says what an oracle found. */
export class Broken extends Error {}

/** Makes a train that cannot be changed. */
export const deepFreeze = (train: Train): Train => {
  for (const car of train.cars) {
    Object.freeze(car.build);
    Object.freeze(car);
  }
  Object.freeze(train.cars);
  return Object.freeze(train);
};

/** What has happened to the world around a train, by what is public: commits, reports, events. */
export abstract class WorldState {
  /** How often each thing happened that the sequences are made for. */
  readonly counts = new Map<string, number>();
  protected readonly git = new SimulatedGit();
  protected readonly pipelines: Pipeline[] = [];
  protected readonly pendingSignals: PendingSignals[] = [];
  protected readonly hotCars = new Set<number>();
  protected readonly culprits = new Set<number>();
  protected readonly unbuildable = new Set<number>();
  /** Merge request of each car that ever boarded. */
  protected readonly requestOf = new Map<number, number>();
  /** How often the way in which a car is built has changed. */
  protected readonly methodOf = new Map<number, number>();
  /** The queue, by the events alone. */
  protected order: number[] = [];
  protected readonly removed = new Map<number, RemovalReason[]>();
  protected readonly merged = new Map<number, string>();
  /** Pipelines of the landings. */
  protected readonly landedBy = new Set<number>();
  /** Why each car may leave, as far as anything has happened that says so. */
  protected readonly causes = new Map<number, Set<RemovalReason>>();
  /** By each of its cars; kept until another landing of the car is begun. */
  protected readonly plans = new Map<number, Plan>();
  /** Commits that were green under all required names when their landing was begun. */
  protected readonly greenWhenBegun = new Set<string>();
  /** Everything that was ever reachable from the target branch. */
  protected readonly everLanded = new Set<string>();
  /** Landed commits that a force push took away again. */
  protected readonly undone = new Set<string>();
  /** Who left for which failed names, since the last landing or the last decision about the target branch. */
  protected departures: { readonly mergeRequestId: number; readonly names: readonly string[] }[] = [];
  /** What the train does, by its events. */
  protected state: TrainState = 'running';
  protected stoppedItself = false;
  /** Written out when an oracle finds something alone. */
  protected readonly trace: (string | (() => string))[] = [];
  protected target: string | undefined;
  protected train: Train;
  /** Something changed that the train has not been brought in order for: a setting, or a pipeline that was deleted. */
  protected unseen = false;
  /** The most cars that were ever to be tested together. */
  protected largestBatch: number;
  /** The target branch was deleted once: a worker that read it then may report that later. */
  protected wasGone = false;

  constructor(
    protected readonly machine: typeof transition,
    protected readonly demands: Demands,
    settings: TrainSettings,
  ) {
    this.train = deepFreeze(emptyTrain(settings));
    this.largestBatch = settings.batchSize;
    this.moveTarget(this.git.commit(undefined, undefined, false));
  }

  protected moveTarget(sha: string | undefined): void {
    this.target = sha;
    for (const one of this.history()) this.everLanded.add(one);
  }

  protected carOf(carId: number): Car | undefined {
    return this.train.cars.find(({ id }) => id === carId);
  }

  protected pipeline(pipelineId: number | undefined): Pipeline | undefined {
    return this.pipelines.find(({ id }) => id === pipelineId);
  }

  protected pipelineOf(carId: number): Pipeline | undefined {
    return this.pipeline(this.carOf(carId)?.build?.pipelineId);
  }

  /** Pipelines that cars aboard show. */
  protected currentPipelines(): Pipeline[] {
    const ids = new Set(this.train.cars.map(({ build }) => build?.pipelineId));
    return this.pipelines.filter(({ id }) => ids.has(id));
  }

  protected get probe(): Pipeline | undefined {
    return this.pipeline(this.train.probe?.pipelineId);
  }

  protected reportOf(pipeline: Pipeline): Signal {
    const names = [...pipeline.names].map(([name, status]) => ({ name, status, allowFailure: false }));
    const reports = { status: pipelineStatusOf(names) ?? 'pending', names, newestAt: undefined };
    const rule = { ...this.demands, settlingSeconds: 0, skippedCounts: false };
    const { verdict, failedNames } = judge(reports, rule, new Date());
    return pipeline.carIds.length === 0
      ? { kind: 'probe_reported', pipelineId: pipeline.id, verdict }
      : { kind: 'reported', pipelineId: pipeline.id, verdict, failedNames };
  }

  protected isGreen({ names, canceled, deleted }: Pipeline): boolean {
    const { required, count } = this.demands;
    const wanted =
      required.length > 0 ? required : [...names].flatMap(([name, state]) => (state === 'skipped' ? [] : name));
    const enough = required.length > 0 || names.size >= count;
    return (
      enough && !canceled && !deleted && wanted.length > 0 && wanted.every((name) => names.get(name) === 'success')
    );
  }

  /** Why git cannot build a car on a commit; undefined when it can. */
  protected obstacleOf(carId: number, onto: string): HoldReason | undefined {
    const there = this.git.historyOf(onto).map((sha) => this.git.read(sha));
    if (there.some((commit) => commit?.carId === carId)) return 'no_changes';
    if (this.hotCars.has(carId) && there.some((commit) => commit?.hot === true)) return 'conflict';
    return this.unbuildable.has(carId) ? 'build_failed' : undefined;
  }

  protected blame(carIds: readonly number[], reason: RemovalReason): void {
    for (const carId of carIds) this.causes.set(carId, (this.causes.get(carId) ?? new Set()).add(reason));
  }

  protected history(): string[] {
    return this.git.historyOf(this.target);
  }

  protected isReachable(sha: string): boolean {
    return this.history().includes(sha);
  }

  protected excuse(before: readonly string[]): void {
    const after = new Set(this.history());
    for (const sha of before) if (!after.has(sha)) this.undone.add(sha);
  }

  protected count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  protected note(line: string | (() => string)): void {
    this.trace.push(line);
  }

  protected broken(what: string): Broken {
    const lines = this.trace.map((line) => (typeof line === 'string' ? line : line()));
    return new Broken(`${what}\n  ${lines.join('\n  ')}\n  now ${describe(this.train)}, target ${this.target}`);
  }
}

const transactional: ReadonlySet<Step['kind']> = new Set(['open_pipeline', 'open_probe', 'cancel_pipeline']);

/** Steps that are carried out in the transaction that saves the train. */
export const inTransaction = ({ kind }: Step): boolean => transactional.has(kind);

/** One of them; undefined of none. */
export const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];

const carText = ({ id, status, build, held, batchId, alone }: Car): string =>
  [
    `${id}${batchId === undefined ? '' : `/${batchId}`}${alone ? '!' : ''} ${status}`,
    held && `held ${held.reason} on ${held.onto}`,
    build &&
      `${build.onto}>${build.sha} #${build.pipelineId} ${build.verdict} r${build.reruns} ${build.failedNames.join('+')}`,
  ]
    .filter(Boolean)
    .join(' ');

/** A train in one line. */
export const describe = ({ base, cars, state, targetFailing, probe }: Train): string =>
  `${state}${targetFailing ? ' failing' : ''}${probe ? ` probe ${probe.sha} #${probe.pipelineId} ${probe.verdict}` : ''} ${base} | ${cars.map(carText).join(', ')}`;
