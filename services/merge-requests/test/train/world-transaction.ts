import type { Outcome, Signal, Step, TrainEvent } from '../../src/merge-trains/domain/merge-train';
import { WorldOracles } from './world-oracles';
import { deepFreeze, describe, inTransaction } from './world-state';

/** The database around a train: signals of one transaction are saved together, with the pipelines that they open. */
export abstract class WorldTransaction extends WorldOracles {
  protected apply(signal: Signal): boolean {
    return this.transact([signal], false);
  }

  /**
   * Applies signals in one transaction; false when nothing is saved.
   * @param whole nothing is, unless each of them but reports is accepted
   */
  protected transact(signals: readonly Signal[], whole: boolean): boolean {
    const accepted: { signal: Signal; outcome: Outcome }[] = [];
    let train = this.train;
    for (const signal of signals) {
      const outcome = this.machine(train, signal);
      this.expectHeard(train, signal, outcome);
      this.expectQuiet(train, signal, outcome);
      if (outcome.train !== train) {
        accepted.push({ signal, outcome });
        if (signal.kind === 'resumed') this.unseen = false;
        this.expectDue(outcome);
      } else if (whole && signal.kind !== 'reported') return false;
      train = deepFreeze(outcome.train);
    }
    if (signals.length === 1 && signals[0]?.kind === 'resumed') this.unseen = false;
    if (train === this.train) return false;
    this.train = train;
    for (const { signal, outcome } of accepted) {
      this.note(() => `${JSON.stringify(signal)} → ${describe(outcome.train)} ${JSON.stringify(outcome.events)}`);
      this.hear(signal);
      for (const event of outcome.events) this.publish(event, signal);
    }
    for (const { outcome } of accepted) for (const step of outcome.steps) if (inTransaction(step)) this.carryOut(step);
    this.check();
    return true;
  }

  private hear(signal: Signal): void {
    if (signal.kind !== 'reported' && signal.kind !== 'timed_out' && signal.kind !== 'probe_reported') return;
    const pipeline = this.pipeline(signal.pipelineId);
    if (pipeline === undefined) return;
    pipeline.heard = signal.kind === 'timed_out' ? 'late' : signal.verdict;
    if (pipeline.heard === 'failed') pipeline.heardFailed = true;
    if (signal.kind === 'reported') for (const name of signal.failedNames) pipeline.failedNames.add(name);
    if (pipeline.heard === 'failed' && pipeline.carIds.length > 1) this.count('batch failed');
  }

  private publish(event: TrainEvent, signal: Signal): void {
    switch (event.kind) {
      case 'added':
        this.publishAdded(event, signal);
        return;
      case 'overtaken':
        if (this.order[event.position - 1] !== event.carId || this.order.indexOf(event.byCarId) >= event.position - 1)
          throw this.broken(`car ${event.carId} is not overtaken by ${event.byCarId}`);
        this.count('overtaken');
        return;
      case 'merged':
        this.publishMerged(event.carId, event.sha);
        return;
      case 'removed':
        this.expectRemoval(event, this.requestOf.get(event.carId) ?? 0);
        this.count(`removed: ${event.reason}`);
        this.removed.set(event.carId, [...(this.removed.get(event.carId) ?? []), event.reason]);
        this.order = this.order.filter((id) => id !== event.carId);
        return;
      case 'flaked':
        for (const name of event.names) this.expectFlake(event.carId, name);
        this.count('flaked');
        return;
      case 'judged':
        return;
      case 'state_changed':
        this.expectStateChange(event, signal);
        this.count(event.targetFailing ? 'stopped itself' : `control: ${event.state}`);
        if (signal.kind === 'probe_reported') this.count('probe passed');
        if (this.stoppedItself || event.targetFailing) this.departures = [];
        this.state = event.state;
        this.stoppedItself = event.targetFailing;
    }
  }

  private publishAdded(event: Extract<TrainEvent, { kind: 'added' }>, signal: Signal): void {
    if (signal.kind !== 'added') throw this.broken(`car ${event.carId} is added by ${signal.kind}`);
    const moved = this.order.includes(event.carId);
    const others = this.order.filter((id) => id !== event.carId);
    const merging = this.train.cars.filter(({ status }) => status === 'merging').length;
    const place = signal.first ? merging : others.length;
    if (moved !== event.moved || event.first !== signal.first || event.position !== place + 1)
      throw this.broken(`car ${event.carId} is added at ${event.position} and belongs at ${place + 1}`);
    if (moved && !signal.first) throw this.broken(`car ${event.carId} loses its place`);
    this.order = [...others.slice(0, place), event.carId, ...others.slice(place)];
    this.count(signal.first ? 'first' : 'added');
  }

  private publishMerged(carId: number, sha: string): void {
    if (this.merged.has(carId)) throw this.broken(`car ${carId} was merged twice`);
    if (this.order[0] !== carId) throw this.broken(`car ${carId} landed out of order`);
    const plan = this.plans.get(carId);
    if (plan?.shas[plan.carIds.indexOf(carId)] !== sha) throw this.broken(`car ${carId} landed as something else`);
    this.order = this.order.slice(1);
    this.merged.set(carId, sha);
    this.landedBy.add(plan.pipelineId);
    this.departures = [];
    this.count('merged');
    if (plan.carIds.length > 1) this.count('merged in a batch');
  }

  private expectFlake(carId: number, name: string): void {
    const sha = this.train.cars.find(({ id }) => id === carId)?.build?.sha;
    const ever = this.pipelines.some((one) => one.sha === sha && one.failedNames.has(name));
    if (!ever) throw this.broken(`${name} is said to have failed on ${sha}`);
  }

  private carryOut(step: Step): void {
    if (step.kind === 'cancel_pipeline') {
      const found = this.pipeline(step.pipelineId);
      if (found === undefined) throw this.broken(`there is no pipeline ${step.pipelineId} to cancel`);
      found.canceled = true;
    }
    if (step.kind === 'open_pipeline') this.open(step);
    if (step.kind === 'open_probe') {
      if (!this.stoppedItself) throw this.broken('a probe is opened on a train that runs');
      const pipelineId = this.newPipeline([], step.sha);
      this.finish({ kind: 'probe_opened', sha: step.sha, pipelineId });
      this.count('probe opened');
    }
  }

  private open({ carIds, sha, rerun }: Extract<Step, { kind: 'open_pipeline' }>): void {
    const pipelineId = this.newPipeline(carIds, sha);
    const again = this.pipelines.some((one) => one.id !== pipelineId && one.sha === sha && one.heardFailed);
    if (rerun && !again) throw this.broken(`${sha} is tested again and never failed`);
    if (carIds.length > this.largestBatch) throw this.broken(`${carIds} are more than are to be tested together`);
    this.expectWindow();
    this.finish({ kind: 'pipeline_opened', carId: carIds.at(-1) ?? 0, sha, pipelineId });
    this.count(rerun ? 'rerun' : `opened for ${carIds.length}`);
  }

  private newPipeline(carIds: readonly number[], sha: string): number {
    const id = 100 + this.pipelines.length;
    this.pipelines.push({
      id,
      carIds,
      sha,
      names: new Map(),
      heard: 'pending',
      heardFailed: false,
      failedNames: new Set(),
      canceled: false,
      deleted: false,
    });
    return id;
  }

  /** No oracle may run before this: it belongs to the transaction that opened the pipeline. */
  private finish(signal: Signal): void {
    const outcome = this.machine(this.train, signal);
    if (outcome.train === this.train) throw this.broken(`${JSON.stringify(signal)}: opened for nothing`);
    if (outcome.steps.some(inTransaction) || outcome.events.length > 0)
      throw this.broken(`${JSON.stringify(signal)} starts something`);
    this.train = deepFreeze(outcome.train);
    this.note(() => JSON.stringify(signal));
  }
}
