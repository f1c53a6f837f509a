import type { RemovalReason } from '../../src/merge-requests/domain/removal-reason';
import type { Outcome, Signal, Step } from '../../src/merge-trains/domain/merge-train';
import type { CommitStatusState } from '../../src/pipelines/domain/pipeline-status';
import { deepFreeze, describe, inTransaction, pick, type Work, WorldOracles } from './world-oracles';

/**
 * Database, repository, outside CI and workers around a train, with the oracles of issue 3. The oracles know commits,
 * reports and events alone: they ask nothing of the machine. Opening and cancelling a pipeline is part of the
 * transaction that saves the train; everything else is done by workers, again and again, and by two at once.
 */
export class TrainWorld extends WorldOracles {
  // What happens to the world.

  /** A merge request is added; the same car once more, when `again`, as a second client would. */
  board(hot: boolean, again: boolean): void {
    const last = this.boardedIds.at(-1);
    if (again && last !== undefined && this.carOf(last) !== undefined) {
      this.apply({ kind: 'added', carId: last });
      return;
    }
    const carId = this.boardedIds.length + 1;
    this.boardedIds.push(carId);
    if (hot) this.hotCars.add(carId);
    if (this.wasGone) this.blame(carId, 'target_branch_deleted');
    this.apply({ kind: 'added', carId });
  }

  leave(at: number, reason: RemovalReason): void {
    const car = pick(this.train.cars, at);
    if (car === undefined) return;
    this.blame(car.id, reason);
    this.apply({ kind: 'removed', carId: car.id, reason });
  }

  /** Someone pushes to the target branch; the train gets a pending signal, or none. */
  outsidePush(hot: boolean, signals: boolean): void {
    this.note(`outside push${hot ? ', hot' : ''}`);
    this.target = this.git.commit(this.target, undefined, hot);
    if (signals) this.pendingSignals.push({ kind: 'target_read', sha: this.target });
  }

  /**
   * Someone pushes the tested commit of a car, which anyone can fetch; the followers of pushes see that it is merged.
   */
  outsidePushOfCar(at: number): void {
    const car = pick(this.train.cars, at);
    if (
      car?.build === undefined ||
      this.target === undefined ||
      !this.git.historyOf(car.build.sha).includes(this.target)
    )
      return;
    this.note(`outside push of ${car.build.sha}`);
    this.target = car.build.sha;
    const there = this.train.cars.filter(({ build }) => build !== undefined && this.isReachable(build.sha));
    for (const { id } of there) this.blame(id, 'merged_by_push');
    for (const { id } of there) this.apply({ kind: 'removed', carId: id, reason: 'merged_by_push' });
  }

  /** The target branch is moved to a new commit that lies `back` commits behind it. */
  forcePush(back: number, signals: boolean): void {
    const before = this.history();
    this.target = this.git.commit(before[Math.min(back, before.length - 1)], undefined, false);
    this.note(`force push to ${this.target}`);
    this.excuse(before);
    if (signals) this.pendingSignals.push({ kind: 'target_read', sha: this.target });
  }

  deleteTarget(signals: boolean): void {
    const before = this.history();
    this.note('target deleted');
    this.wasGone = true;
    this.target = undefined;
    this.excuse(before);
    for (const { id } of this.train.cars) this.blame(id, 'target_branch_deleted');
    if (signals) this.pendingSignals.push({ kind: 'target_read', sha: undefined });
  }

  /** An outside CI reports a name of any pipeline there ever was; the train gets a pending signal. */
  report(at: number, name: string, state: CommitStatusState): void {
    const pipeline = pick(this.pipelines, at);
    if (pipeline === undefined || pipeline.deleted) return;
    this.note(`#${pipeline.id} ${name} ${state}`);
    pipeline.names.set(name, state);
    this.pendingSignals.push(this.reportOf(pipeline));
    const counts = this.required.length === 0 || this.required.includes(name);
    if (counts && (state === 'failed' || state === 'skipped')) {
      this.failed.add(pipeline.id);
      this.blame(pipeline.carId, 'pipeline_failed');
    }
    if (state === 'canceled') this.blame(pipeline.carId, 'pipeline_canceled');
  }

  /** The outside CI passes everything that is being tested, and the train gets the signals at once. */
  passAll(): void {
    for (const pipeline of this.pipelines.filter(({ carId, id }) => this.carOf(carId)?.build?.pipelineId === id)) {
      for (const name of [...pipeline.names.keys(), ...this.required, 'unit']) pipeline.names.set(name, 'success');
      this.apply(this.reportOf(pipeline));
    }
  }

  /** A pending signal arrives, and stays pending when `twice`. */
  deliver(at: number, twice: boolean): void {
    const pendingSignal = pick(this.pendingSignals, at);
    if (pendingSignal === undefined) return;
    if (!twice) this.pendingSignals.splice(this.pendingSignals.indexOf(pendingSignal), 1);
    this.apply(pendingSignal);
  }

  /** The late result of a landing arrives, and stays on its way. */
  deliverResult(at: number): void {
    const results = this.pendingSignals.filter(({ kind }) => kind === 'landed' || kind === 'landing_failed');
    const result = pick(results, at);
    if (result !== undefined) this.apply(result);
  }

  timeOut(at: number): void {
    const pipeline = pick(this.pipelines, at);
    if (pipeline === undefined) return;
    this.blame(pipeline.carId, 'timeout');
    this.apply({ kind: 'timed_out', carId: pipeline.carId, pipelineId: pipeline.id });
  }

  /** A pipeline's row is deleted: the car that had it has none. */
  deletePipeline(at: number): void {
    const pipeline = pick(this.pipelines, at);
    if (pipeline === undefined || pipeline.deleted) return;
    this.note(`#${pipeline.id} deleted`);
    pipeline.deleted = true;
    this.pendingSignals.push({ kind: 'pipeline_lost', carId: pipeline.carId });
    this.train = deepFreeze({
      ...this.train,
      cars: this.train.cars.map((car) =>
        car.build?.pipelineId === pipeline.id
          ? { ...car, build: { ...car.build, pipelineId: undefined, verdict: 'pending' as const } }
          : { ...car },
      ),
    });
  }

  switchOff(): void {
    for (const { id } of this.train.cars) this.blame(id, 'trains_disabled');
    this.apply({ kind: 'switched_off' });
  }

  /** The project's setting changes. */
  setParallel(parallel: number): void {
    this.note(`parallel ${parallel}`);
    this.train = deepFreeze({ ...this.train, parallel, cars: this.train.cars.map((car) => ({ ...car })) });
  }

  // What workers do.

  /** A worker reads the train and takes one of the steps that are due, whatever it did before. */
  take(worker: number, at: number): void {
    this.loseDeleted();
    const step = pick(this.machine(this.train, { kind: 'resumed' }).steps, at);
    this.workers[worker] = step === undefined ? undefined : this.work(step);
    if (step !== undefined) this.note(`worker ${worker} takes ${JSON.stringify(step)}`);
  }

  /** A worker does its next action. */
  act(worker: number): void {
    if (this.workers[worker]?.next().done === true) this.workers[worker] = undefined;
  }

  /** A worker crashes between two actions. */
  crash(worker: number): void {
    if (this.workers[worker] !== undefined) this.note(`worker ${worker} crashes`);
    this.workers[worker] = undefined;
  }

  private *work(step: Step): Work {
    switch (step.kind) {
      case 'read_target': {
        const sha = this.target;
        yield;
        return this.apply({ kind: 'target_read', sha });
      }
      case 'build':
        return yield* this.build(step.carId, step.onto);
      case 'land':
        return yield* this.land(step);
      case 'settle':
        return yield* this.settle(step.carId);
      default:
        throw this.broken(`${step.kind} is no step of a worker`);
    }
  }

  private *build(carId: number, onto: string): Work {
    const there = this.git.historyOf(onto);
    const holds = there.some((sha) => this.git.read(sha)?.carId === carId);
    const hot = this.hotCars.has(carId);
    const conflict = hot && there.some((sha) => this.git.read(sha)?.hot === true);
    if (holds || conflict) {
      const reason = holds ? 'no_changes' : 'conflict';
      yield;
      this.blame(carId, reason);
      return this.apply({ kind: 'not_buildable', carId, onto, reason });
    }
    const sha = this.git.commit(onto, carId, hot);
    yield;
    this.apply({ kind: 'built', carId, onto, sha });
  }

  private *land({ carId, from, to }: Extract<Step, { kind: 'land' }>): Work {
    const pipeline = this.pipelineOf(carId);
    // Reports are read in the transaction that commits the intent.
    if (pipeline !== undefined) this.apply(this.reportOf(pipeline));
    const before = this.train;
    this.apply({ kind: 'landing_begun', carId, sha: to });
    if (this.train === before) return;
    if (pipeline?.sha !== to || !this.isGreen(pipeline)) throw this.broken(`${to} is to land and is not green`);
    this.plans.set(carId, { from, to, pipelineId: pipeline.id });
    this.greenWhenBegun.add(to);
    yield;
    yield* this.move(carId, { from, to });
  }

  private *settle(carId: number): Work {
    const plan = this.plans.get(carId);
    if (plan === undefined) return;
    const found = this.target;
    const landed = this.isReachable(plan.to);
    yield;
    if (!landed && found === plan.from) return yield* this.move(carId, plan);
    this.finish(carId, plan.to, landed);
  }

  private *move(carId: number, { from, to }: { from: string; to: string }): Work {
    const moved = this.target === from;
    if (moved) this.landOn(carId, from, to);
    yield;
    const landed = moved || this.isReachable(to);
    yield;
    this.finish(carId, to, landed);
  }

  private finish(carId: number, to: string, landed: boolean): void {
    const result = { kind: landed ? ('landed' as const) : ('landing_failed' as const), carId, sha: to };
    this.apply(result);
    // Another worker has found the same, and says so later.
    this.pendingSignals.push(result);
  }

  private landOn(carId: number, from: string, to: string): void {
    const { onto, carId: holds } = this.git.read(to) ?? {};
    this.note(`target ${from}>${to} by the train`);
    if (!this.greenWhenBegun.has(to)) throw this.broken(`${to} lands and was not green under every required name`);
    if (onto !== from || holds !== carId) throw this.broken(`${to} lands on ${from} and was built on ${onto}`);
    this.target = to;
  }

  private loseDeleted(): void {
    for (const { id, build, status } of this.train.cars) {
      if (build !== undefined && build.pipelineId === undefined && status !== 'merging') {
        this.apply({ kind: 'pipeline_lost', carId: id });
      }
    }
  }

  // The transaction around the machine.

  private apply(signal: Signal): void {
    const before = this.train;
    const outcome = this.machine(before, signal);
    const changed = outcome.train !== before;
    if (changed) this.note(`${JSON.stringify(signal)} → ${describe(outcome.train)} ${JSON.stringify(outcome.events)}`);
    else if (outcome.events.length > 0 || outcome.steps.some(inTransaction)) {
      throw this.broken(`${JSON.stringify(signal)} changes nothing and says something`);
    }
    this.expectDue(outcome);
    this.expectHeard(before, signal, outcome.train);
    this.train = deepFreeze(outcome.train);
    this.publish(outcome);
    for (const step of outcome.steps) {
      if (step.kind === 'cancel_pipeline') this.cancel(step.pipelineId);
      if (step.kind === 'open_pipeline') this.open(step.carId, step.sha);
    }
    if (changed) this.check();
  }

  private publish({ train, events }: Outcome): void {
    for (const event of events) {
      if (event.kind === 'added') {
        if (train.cars[event.position - 1]?.id !== event.carId)
          throw this.broken(`car ${event.carId} is not at ${event.position}`);
      } else if (event.kind === 'merged') {
        if (this.merged.has(event.carId)) throw this.broken(`car ${event.carId} was merged twice`);
        this.merged.set(event.carId, event.sha);
        this.landedBy.add(this.plans.get(event.carId)?.pipelineId ?? 0);
        this.mergedOrder.push(event.carId);
      } else {
        if (this.causes.get(event.carId)?.has(event.reason) !== true) {
          throw this.broken(`car ${event.carId} leaves for ${event.reason}, which never happened`);
        }
        if (event.reason === 'pipeline_failed' && !this.failed.has(event.pipelineId ?? 0)) {
          throw this.broken(`car ${event.carId} leaves for a failure of another pipeline`);
        }
        this.removed.set(event.carId, [...(this.removed.get(event.carId) ?? []), event.reason]);
      }
    }
  }

  private open(carId: number, sha: string): void {
    const id = 100 + this.pipelines.length;
    this.pipelines.push({ id, carId, sha, names: new Map(), canceled: false, deleted: false });
    const running = this.pipelines.filter((one) => !one.canceled && !one.deleted && !this.merged.has(one.carId));
    if (running.length > this.train.parallel) throw this.broken(`${running.length} pipelines run`);
    // No oracle may run between a car's build and its pipeline: both are one transaction.
    const outcome = this.machine(this.train, { kind: 'pipeline_opened', carId, sha, pipelineId: id });
    if (outcome.train === this.train) throw this.broken(`pipeline ${id} was opened for nothing`);
    this.train = deepFreeze(outcome.train);
  }

  private cancel(pipelineId: number): void {
    const found = this.pipelines.find(({ id }) => id === pipelineId);
    if (found === undefined) throw this.broken(`there is no pipeline ${pipelineId} to cancel`);
    found.canceled = true;
  }

  /**
   * A worker that is never disturbed and a CI that passes everything empty the train, soon; nothing is added in the
   * meantime.
   */
  finally(): void {
    this.workers.fill(undefined);
    this.pendingSignals.length = 0;
    this.note('from here on all goes well');
    // Each round may build a car, and a landing that fails costs every car its build once.
    const rounds = 4 * this.train.cars.length + 12;
    for (let round = 0; this.train.cars.length > 0; round += 1) {
      if (round > rounds) throw this.broken(`after ${rounds} rounds the train still has cars`);
      this.loseDeleted();
      this.passAll();
      const steps = this.machine(this.train, { kind: 'resumed' }).steps;
      if (steps.length === 0 && this.train.cars.length > 0) throw this.broken('cars wait and nothing is due');
      for (const step of steps) runToCompletion(this.work(step));
    }
    this.check();
  }
}

function runToCompletion(work: Work): void {
  while (work.next().done !== true);
}
