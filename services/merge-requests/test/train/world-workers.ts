import type { Signal, Step } from '../../src/merge-trains/domain/merge-train';
import { type Plan, pick } from './world-state';
import { WorldTransaction } from './world-transaction';

/** A worker between two of its actions: each `next` does one, after any of which it can die. */
export type Work = Generator<void, void, void>;

/** The workers of a train: everything but pipelines is done by them, again and again, and by two at once. */
export abstract class WorldWorkers extends WorldTransaction {
  protected readonly workers: (Work | undefined)[] = [undefined, undefined];

  /** A worker reads the train and takes one of the steps that are due, whatever it did before. */
  take(worker: number, at: number): void {
    const step = pick(this.due(), at);
    this.workers[worker] = step === undefined ? undefined : this.work(step);
    if (step !== undefined) this.note(() => `worker ${worker} takes ${JSON.stringify(step)}`);
  }

  /** A worker does its next action. */
  act(worker: number): void {
    if (this.workers[worker]?.next().done === true) this.workers[worker] = undefined;
  }

  /** A worker crashes between two actions. */
  crash(worker: number): void {
    if (this.workers[worker] !== undefined) {
      this.note(`worker ${worker} crashes`);
      this.count('crash');
    }
    this.workers[worker] = undefined;
  }

  /** Brings the train in order, and says what is due. */
  protected due(): readonly Step[] {
    this.apply({ kind: 'resumed' });
    return this.machine(this.train, { kind: 'resumed' }).steps;
  }

  protected *work(step: Step): Work {
    switch (step.kind) {
      case 'read_target': {
        const sha = this.target;
        yield;
        this.apply({ kind: 'target_read', sha });
        return;
      }
      case 'build':
        return yield* this.build(step.carId, step.onto);
      case 'blame':
        yield;
        this.apply({ kind: 'blamed', carId: step.carId });
        return;
      case 'land':
        return yield* this.land(step);
      case 'settle':
        return yield* this.settle(step.carId);
      default:
        throw this.broken(`${step.kind} is no step of a worker`);
    }
  }

  private *build(carId: number, onto: string): Work {
    const reason = this.obstacleOf(carId, onto);
    if (reason !== undefined) {
      yield;
      if (this.apply({ kind: 'not_buildable', carId, onto, reason })) this.count('held');
      return;
    }
    const sha = this.git.commit(onto, carId, this.hotCars.has(carId), this.methodOf.get(carId));
    yield;
    this.apply({ kind: 'built', carId, onto, sha });
  }

  /** Every member's intent is saved in one transaction, if what lands is still what is due. */
  private *land(step: Extract<Step, { kind: 'land' }>): Work {
    const { carIds, from, to } = step;
    const pipeline = this.pipelineOf(carIds.at(-1) ?? 0);
    // Reports are read in the transaction that commits the intent.
    const reports = pipeline === undefined ? [] : [this.reportOf(pipeline)];
    const judged = reports.reduce((train, report) => this.machine(train, report).train, this.train);
    const due = this.machine(judged, { kind: 'resumed' }).steps.find(({ kind }) => kind === 'land');
    const shas = carIds.map((carId) => this.carOf(carId)?.build?.sha ?? '');
    const begun = carIds.map(
      (carId, at): Signal => ({ kind: 'landing_begun', carId, sha: shas[at] as string, to: shas.at(-1) as string }),
    );
    if (this.train.state !== 'paused' && JSON.stringify(due) !== JSON.stringify(step)) return;
    if (!this.transact([...reports, ...begun], true)) return;
    if (pipeline?.sha !== to || !this.isGreen(pipeline)) throw this.broken(`${to} is to land and is not green`);
    if (pipeline.carIds.join() !== carIds.join()) throw this.broken(`${carIds} are to land of ${pipeline.carIds}`);
    if (this.git.carsBetween(from, to)?.join() !== carIds.join()) throw this.broken(`${to} does not land ${carIds}`);
    const plan: Plan = { carIds, shas, from, to, pipelineId: pipeline.id };
    for (const carId of carIds) this.plans.set(carId, plan);
    this.greenWhenBegun.add(to);
    yield;
    yield* this.move(plan);
  }

  private *settle(carId: number): Work {
    const plan = this.plans.get(carId);
    if (plan === undefined) return;
    const found = this.target;
    const there = this.thereOf(plan);
    this.count('settled');
    yield;
    if (there === 0 && found === plan.from) return yield* this.move(plan);
    this.conclude(plan, there);
  }

  private *move(plan: Plan): Work {
    const moved = this.target === plan.from;
    if (moved) this.landOn(plan);
    yield;
    const there = moved ? plan.carIds.length : this.thereOf(plan);
    yield;
    this.conclude(plan, there);
  }

  /** How many members the branch holds: of a batch that has landed a force push may have left some. */
  private thereOf({ shas }: Plan): number {
    return shas.filter((sha) => this.isReachable(sha)).length;
  }

  private landOn({ from, to, carIds }: Plan): void {
    this.note(`target ${from}>${to} by the train`);
    if (!this.greenWhenBegun.has(to)) throw this.broken(`${to} lands and was not green under every required name`);
    if (this.git.carsBetween(from, to)?.join() !== carIds.join())
      throw this.broken(`${to} lands on ${from} and was built on something else`);
    this.moveTarget(to);
    this.count(`landed ${carIds.length}`);
  }

  private conclude({ carIds, shas }: Plan, there: number): void {
    const signals = carIds.map(
      (carId, at): Signal => ({ kind: at < there ? 'landed' : 'landing_failed', carId, sha: shas[at] as string }),
    );
    if (this.transact(signals, true)) this.count(there === carIds.length ? 'landed' : 'landing failed');
    // Another worker has found the same, and says so later.
    this.pendingSignals.push({ signals, whole: true });
  }
}
