import type { RemovalReason } from '../../src/merge-requests/domain/removal-reason';
import {
  type Car,
  emptyTrain,
  type Outcome,
  type Signal,
  type Step,
  type Train,
  type transition,
  verdictOf,
} from '../../src/merge-trains/domain/merge-train';
import { type CommitStatusState, pipelineStatusOf } from '../../src/pipelines/domain/pipeline-status';
import { SimulatedGit } from './simulated-git';

export interface Pipeline {
  readonly id: number;
  readonly carId: number;
  readonly sha: string;
  readonly names: Map<string, CommitStatusState>;
  canceled: boolean;
  deleted: boolean;
}

/** A signal on its way: it may arrive late, twice, or after others that were sent later. */
export type PendingSignal = Signal;

/** A worker between two of its actions: each `next` does one, after any of which it can die. */
export type Work = Generator<void, void, void>;

/** Says what an oracle found. */
class Broken extends Error {}

/** Makes a train that cannot be changed. */
export const deepFreeze = (train: Train): Train => {
  for (const car of train.cars) {
    Object.freeze(car.build);
    Object.freeze(car);
  }
  Object.freeze(train.cars);
  return Object.freeze(train);
};

/** The state of the model, and the oracles that check a train with it. */
export abstract class WorldOracles {
  protected readonly git = new SimulatedGit();
  protected readonly pipelines: Pipeline[] = [];
  protected readonly pendingSignals: PendingSignal[] = [];
  protected readonly workers: (Work | undefined)[] = [undefined, undefined];
  protected readonly hotCars = new Set<number>();
  protected readonly boardedIds: number[] = [];
  protected readonly removed = new Map<number, string[]>();
  protected readonly merged = new Map<number, string>();
  protected readonly mergedOrder: number[] = [];
  /** Pipelines of the landings. */
  protected readonly landedBy = new Set<number>();
  /** Pipelines of which a name that counts was ever reported as failed or skipped. */
  protected readonly failed = new Set<number>();
  /** Why each car may leave, as far as anything has happened that says so. */
  protected readonly causes = new Map<number, Set<RemovalReason>>();
  /** What each landing that was begun is to move; kept until its result. */
  protected readonly plans = new Map<number, { from: string; to: string; pipelineId: number }>();
  /** Commits that were green under all required names when their landing was begun. */
  protected readonly greenWhenBegun = new Set<string>();
  /** Landed commits that a force push took away again. */
  protected readonly undone = new Set<string>();
  protected readonly trace: string[] = [];
  protected target: string | undefined;
  protected train: Train;
  /** The target branch was deleted once: a worker that read it then may report that later. */
  protected wasGone = false;

  constructor(
    protected readonly machine: typeof transition,
    protected readonly required: readonly string[],
    parallel: number,
  ) {
    this.train = deepFreeze(emptyTrain(parallel));
    this.target = this.git.commit(undefined, undefined, false);
  }

  /** What must hold after every transaction. */
  check(): void {
    const { cars } = this.train;
    const queued = cars.map(({ id }) => id);
    if (!isAscending(queued)) throw this.broken('the queue is out of order');
    if (!isAscending(this.mergedOrder)) throw this.broken('cars landed out of order');
    for (const id of this.boardedIds) {
      const places = [
        queued.filter((one) => one === id).length,
        this.merged.has(id) ? 1 : 0,
        this.removed.get(id)?.length ?? 0,
      ];
      if (places.reduce((sum, one) => sum + one) !== 1)
        throw this.broken(`car ${id} is queued, merged, removed ${places}`);
    }
    this.checkChain(cars);
    this.checkPipelines(cars);
    this.checkBranch(cars);
  }

  protected checkChain(cars: readonly Car[]): void {
    let tip: string | undefined;
    let open = false;
    cars.forEach(({ id, build, status }, position) => {
      if ((build !== undefined) !== (status === 'fresh' || status === 'merging')) {
        throw this.broken(`car ${id} is ${status} and ${build === undefined ? 'not ' : ''}built`);
      }
      if (status === 'merging' && position > 0) throw this.broken(`car ${id} is merged before its turn`);
      if (build === undefined) {
        open = true;
        return;
      }
      const { onto, carId } = this.git.read(build.sha) ?? {};
      const wanted = position === 0 && status === 'merging' ? build.onto : position === 0 ? this.train.base : tip;
      if (open) throw this.broken(`car ${id} is built before one ahead of it`);
      if (carId !== id || onto !== build.onto) throw this.broken(`car ${id} is not what was built for it`);
      if (onto !== wanted) throw this.broken(`car ${id} is built on ${onto}, ahead is ${wanted}`);
      tip = build.sha;
    });
  }

  protected checkPipelines(cars: readonly Car[]): void {
    const current = new Set([...cars.map(({ build }) => build?.pipelineId), ...this.landedBy]);
    for (const { id, canceled, deleted } of this.pipelines) {
      if (!current.has(id) && !canceled && !deleted) throw this.broken(`pipeline ${id} is superseded and runs on`);
      if (current.has(id) && canceled) throw this.broken(`pipeline ${id} is current and was cancelled`);
    }
  }

  protected checkBranch(cars: readonly Car[]): void {
    for (const [carId, sha] of this.merged) {
      if (!this.isReachable(sha) && !this.undone.has(sha))
        throw this.broken(`car ${carId} is merged and ${sha} unreachable`);
    }
    for (const sha of this.history()) {
      const { carId } = this.git.read(sha) ?? {};
      if (carId === undefined) continue;
      const merging = cars.some(({ id, status, build }) => id === carId && status === 'merging' && build?.sha === sha);
      const pushed = this.causes.get(carId)?.has('merged_by_push') === true;
      if (this.merged.get(carId) !== sha && !merging && !pushed)
        throw this.broken(`${sha} is reachable, car ${carId} is not merged`);
    }
  }

  /**
   * A car that has to be removed is removed at once; a signal about another pipeline than its own, or about one being
   * merged, changes nothing.
   */
  protected expectHeard(before: Train, signal: Signal, after: Train): void {
    const stay = (id: number): boolean => after.cars.some((car) => car.id === id);
    if (signal.kind === 'switched_off') {
      if (after.cars.some(({ status }) => status !== 'merging')) throw this.broken('cars stay on a train that is off');
    }
    if (signal.kind !== 'removed' && signal.kind !== 'reported' && signal.kind !== 'timed_out') return;
    const car = before.cars.find(({ id }) => id === signal.carId);
    const concerns = signal.kind === 'removed' || car?.build?.pipelineId === signal.pipelineId;
    if (car === undefined || car.status === 'merging' || !concerns) {
      if (after !== before) throw this.broken(`${JSON.stringify(signal)} changes what it is not about`);
      return;
    }
    const ends =
      signal.kind === 'removed' ||
      (signal.kind === 'timed_out' && car.build?.verdict === 'pending') ||
      (signal.kind === 'reported' && (signal.verdict === 'failed' || signal.verdict === 'canceled'));
    if (ends === stay(car.id))
      throw this.broken(`car ${car.id} ${ends ? 'stays' : 'goes'} after ${JSON.stringify(signal)}`);
  }

  protected expectDue({ train, steps }: Outcome): void {
    for (const step of steps) {
      const place = 'carId' in step ? train.cars.findIndex(({ id }) => id === step.carId) : 0;
      const most = step.kind === 'build' ? train.parallel : step.kind === 'land' ? 1 : train.cars.length;
      if (place >= Math.max(1, most)) throw this.broken(`${JSON.stringify(step)} is due for car number ${place + 1}`);
    }
    const due = this.machine(train, { kind: 'resumed' }).steps.map((step) => JSON.stringify(step));
    const said = steps.filter((step) => !inTransaction(step)).map((step) => JSON.stringify(step));
    if (JSON.stringify(said) !== JSON.stringify(due))
      throw this.broken(`steps ${said} differ from what is due: ${due}`);
  }

  protected carOf(carId: number): Car | undefined {
    return this.train.cars.find(({ id }) => id === carId);
  }

  protected pipelineOf(carId: number): Pipeline | undefined {
    const pipelineId = this.carOf(carId)?.build?.pipelineId;
    return this.pipelines.find(({ id }) => id === pipelineId);
  }

  protected reportOf(pipeline: Pipeline): Signal {
    return { kind: 'reported', carId: pipeline.carId, pipelineId: pipeline.id, verdict: this.verdict(pipeline) };
  }

  protected verdict({ names }: Pipeline) {
    const all = [...names].map(([name, status]) => ({ name, status, allowFailure: false }));
    return verdictOf(pipelineStatusOf(all) ?? 'pending', all, this.required, false);
  }

  protected isGreen({ names, canceled, deleted }: Pipeline): boolean {
    const wanted =
      this.required.length > 0
        ? this.required
        : [...names].flatMap(([name, state]) => (state === 'skipped' ? [] : name));
    return !canceled && !deleted && wanted.length > 0 && wanted.every((name) => names.get(name) === 'success');
  }

  protected blame(carId: number, reason: RemovalReason): void {
    this.causes.set(carId, (this.causes.get(carId) ?? new Set()).add(reason));
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

  protected note(line: string): void {
    this.trace.push(line);
  }

  protected broken(what: string): Broken {
    return new Broken(`${what}\n  ${this.trace.join('\n  ')}\n  now ${describe(this.train)}, target ${this.target}`);
  }
}

/** Steps that are carried out in the transaction that saves the train. */
export const inTransaction = ({ kind }: Step): boolean => kind === 'open_pipeline' || kind === 'cancel_pipeline';

/** One of them; undefined of none. */
export const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];

const isAscending = (ids: readonly number[]): boolean =>
  ids.every((id, at) => at === 0 || (ids[at - 1] as number) < id);

/** A train in one line. */
export const describe = ({ base, cars }: Train): string =>
  `${base} | ${cars.map(({ id, status, build }) => `${id} ${status} ${build === undefined ? '' : `${build.onto}>${build.sha} #${build.pipelineId} ${build.verdict}`}`).join(', ')}`;
