import type { RemovalReason } from '../../src/merge-requests';
import type { TrainSettings, TrainState } from '../../src/merge-trains/domain/merge-train';
import type { CommitStatusState } from '../../src/pipelines/domain/pipeline-status';
import { deepFreeze, type Pipeline, pick } from './world-state';
import { type Work, WorldWorkers } from './world-workers';

/** What a merge request is like. */
export interface Traits {
  /** It changes the one file that not everyone can change. */
  readonly hot: boolean;
  /** An honest CI fails whatever holds it. */
  readonly culprit: boolean;
  /** No commit can be made of it. */
  readonly unbuildable: boolean;
}

/**
 * Database, repository, outside CI and workers around a train. Opening and cancelling a pipeline is part of the
 * transaction that saves the train; everything else is done by workers, again and again, and by two at once.
 */
export class TrainWorld extends WorldWorkers {
  /** A merge request is added; when `again` one that is aboard, as a second client would, or one that has left. */
  board(traits: Traits, again: boolean, first: boolean): void {
    const aboard = this.order[Math.floor(this.order.length / 2)];
    if (again && aboard !== undefined && this.requestOf.size % 2 === 0) {
      this.add(aboard, first);
      return;
    }
    // While it drains the service refuses who is not aboard.
    if (this.train.state === 'draining') return;
    const carId = this.requestOf.size + 1;
    this.requestOf.set(carId, (again ? this.returning() : undefined) ?? carId);
    if (traits.hot) this.hotCars.add(carId);
    if (traits.culprit) this.culprits.add(carId);
    if (traits.unbuildable) this.unbuildable.add(carId);
    if (this.wasGone) this.blame([carId], 'target_branch_deleted');
    this.add(carId, first);
  }

  /** A merge request that left and was neither merged nor added again. */
  private returning(): number | undefined {
    const [carId] = [...this.removed].findLast(([, reasons]) => !reasons.includes('merged_by_push')) ?? [];
    const request = this.requestOf.get(carId ?? 0);
    const others = [...this.requestOf].filter(([id, one]) => one === request && id !== carId);
    return others.every(([id]) => this.removed.has(id)) ? request : undefined;
  }

  /** Someone puts a car first that is aboard. */
  putFirst(at: number): void {
    const car = pick(this.train.cars, at);
    if (car !== undefined) this.add(car.id, true);
  }

  private add(carId: number, first: boolean): void {
    // A train that was empty does not know where its branch is now.
    if (this.train.cars.length === 0) this.train = deepFreeze({ ...this.train, base: undefined });
    const mergeRequestId = this.requestOf.get(carId) ?? carId;
    this.apply({ kind: 'added', carId, mergeRequestId, first });
  }

  leave(at: number, reason: RemovalReason): void {
    const car = pick(this.train.cars, at);
    if (car === undefined) return;
    this.blame([car.id], reason);
    this.apply({ kind: 'removed', carId: car.id, reason });
  }

  control(state: TrainState): void {
    this.apply({ kind: 'controlled', state });
  }

  /** A maintainer pauses the train while a worker is at one of its steps. */
  pauseAmid(worker: number, at: number): void {
    this.take(worker, at);
    this.control('paused');
    for (let acts = 0; acts < 3; acts += 1) this.act(worker);
  }

  /** A setting by which cars are built changes: what is built of one car is not what is wanted any more. */
  outdate(at: number): void {
    const car = pick(this.train.cars, at);
    if (car === undefined || car.status === 'merging') return;
    this.methodOf.set(car.id, (this.methodOf.get(car.id) ?? 0) + 1);
    if (this.apply({ kind: 'outdated', carId: car.id })) this.count('outdated');
  }

  /** The project's settings change. */
  set(settings: Partial<TrainSettings>): void {
    this.note(`set ${JSON.stringify(settings)}`);
    this.train = deepFreeze({ ...this.train, ...settings });
    this.largestBatch = Math.max(this.largestBatch, this.train.batchSize);
    this.unseen = true;
  }

  switchOff(): void {
    this.blame(this.order, 'trains_disabled');
    this.apply({ kind: 'switched_off' });
  }

  // The target branch.

  /** Someone pushes to the target branch; the train gets a pending signal, or none. */
  outsidePush(hot: boolean, signals: boolean): void {
    this.note(`outside push${hot ? ', hot' : ''}`);
    this.moveTarget(this.git.commit(this.target, undefined, hot));
    if (signals) this.signalTarget();
  }

  /** Someone pushes the tested commit of a car, which anyone can fetch; the followers of pushes see that it is merged. */
  outsidePushOfCar(at: number): void {
    const car = pick(this.train.cars, at);
    if (car?.build === undefined || this.target === undefined) return;
    if (!this.git.historyOf(car.build.sha).includes(this.target)) return;
    this.note(`outside push of ${car.build.sha}`);
    this.moveTarget(car.build.sha);
    const there = this.train.cars.filter(({ build }) => build !== undefined && this.isReachable(build.sha));
    const ids = there.map(({ id }) => id);
    // What a failing car in between does not hold lies there as well: of it only the commit of the car itself counts.
    this.blame(this.git.carsOf(car.build.sha), 'merged_by_push');
    for (const carId of ids) this.apply({ kind: 'removed', carId, reason: 'merged_by_push' });
  }

  /** The target branch is moved to a new commit that lies `back` commits behind it. */
  forcePush(back: number, signals: boolean): void {
    const before = this.history();
    this.moveTarget(this.git.commit(before[Math.min(back, before.length - 1)], undefined, false));
    this.note(`force push to ${this.target}`);
    this.excuse(before);
    if (signals) this.signalTarget();
  }

  deleteTarget(signals: boolean): void {
    const before = this.history();
    this.note('target deleted');
    this.wasGone = true;
    this.moveTarget(undefined);
    this.excuse(before);
    this.blame(this.order, 'target_branch_deleted');
    if (signals) this.signalTarget();
  }

  private signalTarget(): void {
    this.pendingSignals.push({ signals: [{ kind: 'target_read', sha: this.target }], whole: false });
  }

  // The outside CI.

  /** A name of any pipeline there ever was is reported; the train gets a pending signal. */
  report(at: number, name: string, state: CommitStatusState): void {
    const pipeline = pick(this.pipelines, at);
    if (pipeline === undefined || pipeline.deleted) return;
    this.note(`#${pipeline.id} ${name} ${state}`);
    pipeline.names.set(name, state);
    this.pendingSignals.push({ signals: [this.reportOf(pipeline)], whole: false });
  }

  /** The CI ends a pipeline that runs: it passes, or one name fails; the train gets the signal at once. */
  end(at: number, failing: string | undefined): void {
    const running = [...this.currentPipelines(), ...(this.probe === undefined ? [] : [this.probe])].filter(
      ({ heard }) => heard === 'pending',
    );
    const pipeline = pick(running, at);
    if (pipeline !== undefined) this.endPipeline(pipeline, failing);
  }

  /** The CI ends everything that runs: it passes, or one name fails. */
  endAll(failing: string | undefined): void {
    for (const pipeline of this.currentPipelines()) {
      if (this.pipelineOf(pipeline.carIds.at(-1) ?? 0) === pipeline) this.endPipeline(pipeline, failing);
    }
  }

  /** An honest CI ends a pipeline: it fails when the commit holds a culprit. */
  endHonestly(at: number): void {
    const pipeline = pick(
      this.currentPipelines().filter(({ heard }) => heard === 'pending'),
      at,
    );
    if (pipeline !== undefined) this.endPipeline(pipeline, this.honestly(pipeline));
  }

  private honestly({ sha }: Pipeline): string | undefined {
    const unlanded = this.git.historyOf(sha).filter((one) => !this.everLanded.has(one));
    return unlanded.some((one) => this.culprits.has(this.git.read(one)?.carId ?? 0)) ? 'unit' : undefined;
  }

  private endPipeline(pipeline: Pipeline, failing: string | undefined): void {
    for (const name of [...pipeline.names.keys(), ...this.demands.required, 'unit', 'e2e'])
      pipeline.names.set(name, name === failing ? 'failed' : 'success');
    this.note(`#${pipeline.id} ${failing ?? 'everything'} ${failing === undefined ? 'passes' : 'fails'}`);
    this.apply(this.reportOf(pipeline));
  }

  /** The time of a pipeline is over. */
  timeOut(at: number): void {
    const pipeline = pick(this.currentPipelines(), at);
    if (pipeline !== undefined) this.apply({ kind: 'timed_out', pipelineId: pipeline.id });
  }

  /** Time has passed since a probe ended. */
  probeAgain(): void {
    this.apply({ kind: 'probe_due' });
  }

  /** A pipeline's row is deleted: cars that had it have none. */
  deletePipeline(at: number): void {
    const pipeline = pick(this.currentPipelines(), at);
    if (pipeline === undefined) return;
    this.note(`#${pipeline.id} deleted`);
    this.count('deleted');
    pipeline.deleted = true;
    this.unseen = true;
    this.train = deepFreeze({
      ...this.train,
      cars: this.train.cars.map((car) =>
        car.build?.pipelineId === pipeline.id
          ? { ...car, build: { ...car.build, pipelineId: undefined, requested: false, verdict: 'pending' as const } }
          : car,
      ),
    });
  }

  // Signals on their way.

  /** A pending signal arrives, and stays pending when `twice`. */
  deliver(at: number, twice: boolean): void {
    const pending = pick(this.pendingSignals, at);
    if (pending === undefined) return;
    if (!twice) this.pendingSignals.splice(this.pendingSignals.indexOf(pending), 1);
    this.transact(pending.signals, pending.whole);
  }

  /** The late result of a landing arrives, and stays on its way. */
  deliverResult(at: number): void {
    const result = pick(
      this.pendingSignals.filter(({ whole }) => whole),
      at,
    );
    if (result !== undefined) this.transact(result.signals, true);
  }

  // The end.

  /**
   * Workers that are never disturbed and an honest CI empty the train, soon; nothing is added in the meantime. Everyone
   * lands but culprits, who did not fail earlier as often as it takes, and can be built.
   */
  finally(): void {
    this.workers.fill(undefined);
    this.pendingSignals.length = 0;
    this.note('from here on all goes well');
    for (const pipeline of this.currentPipelines()) this.apply(this.reportOf(pipeline));
    const aboard = [...this.order];
    const earlier = this.pipelines.length + 100;
    if (this.train.state === 'paused' && !this.train.targetFailing) this.control('running');
    // Each round of the CI judges all that runs; every car may need one for each of its failures, and one to land.
    const rounds = aboard.length * (this.train.retries + 4) + 12;
    for (let round = 0; this.train.cars.length > 0; round += 1) {
      if (round > rounds) throw this.broken(`after ${rounds} rounds of the CI the train still has cars`);
      this.settleAll();
      if (this.train.targetFailing) this.probeAgain();
      if (this.probe !== undefined) this.endPipeline(this.probe, undefined);
      for (const pipeline of this.currentPipelines()) {
        if (pipeline.heard !== 'pending' || this.pipelineOf(pipeline.carIds.at(-1) ?? 0) !== pipeline) continue;
        this.endPipeline(pipeline, this.honestly(pipeline));
        this.settleAll();
      }
    }
    for (const carId of aboard) this.expectFate(carId, earlier);
  }

  private settleAll(): void {
    const most = 12 * this.train.cars.length + 12;
    for (let done = 0; ; done += 1) {
      const [step] = this.due();
      if (step === undefined) return;
      if (done > most) throw this.broken(`after ${most} steps ${JSON.stringify(step)} is still due`);
      runToCompletion(this.work(step));
    }
  }

  /** An innocent car lands, unless it cannot be built or what failed was over before all went well. */
  private expectFate(carId: number, earlier: number): void {
    const reason = this.removed.get(carId)?.[0];
    if (reason === undefined || this.culprits.has(carId)) return;
    const over = this.pipelines.some(
      ({ id, carIds, heardFailed, heard }) =>
        id < earlier && carIds.includes(carId) && (heardFailed || heard === 'late' || heard === 'canceled'),
    );
    const excused = ['conflict', 'no_changes', 'build_failed', 'target_branch_deleted'].includes(reason) || over;
    if (!excused) throw this.broken(`car ${carId} is innocent and leaves for ${reason}`);
    this.count('excused');
  }
}

function runToCompletion(work: Work): void {
  while (work.next().done !== true);
}
