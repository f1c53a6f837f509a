import { isDeepStrictEqual } from 'node:util';
import type { RemovalReason } from '../../src/merge-requests';
import type { Car, Outcome, Signal, Train, TrainEvent } from '../../src/merge-trains/domain/merge-train';
import { inTransaction, type Pipeline, WorldState } from './world-state';

type Removal = Extract<TrainEvent, { kind: 'removed' }>;

/** Reasons by which a train removes a car for a failure of its own. */
const failures: ReadonlySet<RemovalReason> = new Set([
  'pipeline_failed',
  'timeout',
  'conflict',
  'no_changes',
  'build_failed',
]);

const failed = (pipeline: Pipeline | undefined): boolean =>
  pipeline !== undefined && ['failed', 'canceled', 'late'].includes(pipeline.heard);

/** The oracles that check a train. They know commits, reports and events alone: they ask nothing of the machine. */
export abstract class WorldOracles extends WorldState {
  /** What must hold after every transaction. */
  check(): void {
    const { cars } = this.train;
    const queued = cars.map(({ id }) => id);
    if (queued.join() !== this.order.join())
      throw this.broken(`the queue is ${queued}, by its events it is ${this.order}`);
    for (const id of this.requestOf.keys()) {
      const places = [
        queued.filter((one) => one === id).length,
        this.merged.has(id) ? 1 : 0,
        this.removed.get(id)?.length ?? 0,
      ];
      if (places.reduce((sum, one) => sum + one) !== 1)
        throw this.broken(`car ${id} is queued, merged, removed ${places}`);
    }
    if (this.train.state !== this.state) throw this.broken(`the train is ${this.train.state} and said ${this.state}`);
    this.checkChain(cars);
    this.checkPipelines(cars);
    this.checkBranch(cars);
  }

  private checkChain(cars: readonly Car[]): void {
    let waiting: number | undefined;
    cars.forEach((car, position) => {
      const { id, build, status, held } = car;
      if ((build !== undefined) !== (status === 'fresh' || status === 'merging'))
        throw this.broken(`car ${id} is ${status} and ${build === undefined ? 'not ' : ''}built`);
      if (status === 'merging' && cars.slice(0, position).some((one) => one.status !== 'merging'))
        throw this.broken(`car ${id} is merged before its turn`);
      if (build === undefined) {
        if (held === undefined) waiting ??= id;
        return;
      }
      if (waiting !== undefined) throw this.broken(`car ${id} is built before ${waiting} ahead of it`);
      const { onto, carId } = this.git.read(build.sha) ?? {};
      if (carId !== id || onto !== build.onto) throw this.broken(`car ${id} is not what was built for it`);
      if (status !== 'merging') this.checkOnto(cars, position, build.onto);
    });
  }

  /** A car lies on the nearest one ahead that is not failing, or on the target branch. */
  private checkOnto(cars: readonly Car[], position: number, onto: string): void {
    const car = cars[position] as Car;
    const below = cars.slice(0, position).findLastIndex(({ build }) => build?.sha === onto);
    if (below === -1 && onto !== this.train.base)
      throw this.broken(`car ${car.id} is built on ${onto}, which is neither ahead of it nor the target branch`);
    const ground = cars[below];
    const own = car.build?.pipelineId;
    if (ground !== undefined && (own === undefined || ground.build?.pipelineId !== own)) {
      if (failed(this.pipelineOf(ground.id))) throw this.broken(`car ${car.id} is built on ${ground.id}, which fails`);
    }
    for (const passed of cars.slice(below + 1, position)) {
      if (passed.held === undefined && !this.hasFailed(passed))
        throw this.broken(`car ${car.id} passes over ${passed.id}, which does not fail`);
    }
  }

  private hasFailed({ id, build }: Car): boolean {
    return this.pipelines.some(
      (one) =>
        one.carIds.includes(id) &&
        (one.heardFailed || failed(one)) &&
        build !== undefined &&
        this.git.historyOf(one.sha).includes(build.sha),
    );
  }

  private checkPipelines(cars: readonly Car[]): void {
    const shown = new Map<number, Car[]>();
    for (const car of cars) {
      const id = car.build?.pipelineId;
      if (id !== undefined) shown.set(id, [...(shown.get(id) ?? []), car]);
    }
    for (const pipeline of this.pipelines) {
      const { id, canceled, deleted, sha, carIds, heard } = pipeline;
      const tested = shown.get(id);
      const current = tested !== undefined || this.probe === pipeline;
      if (!current && !canceled && !deleted && !this.landedBy.has(id))
        throw this.broken(`pipeline ${id} is superseded and runs on`);
      if (current && canceled && heard !== 'late') throw this.broken(`pipeline ${id} is current and was cancelled`);
      if (tested === undefined) continue;
      if (tested.map((car) => car.id).join() !== carIds.join())
        throw this.broken(`pipeline ${id} tests ${carIds}, and is shown by ${tested.map((car) => car.id)}`);
      if (tested.at(-1)?.build?.sha !== sha) throw this.broken(`pipeline ${id} does not test the tip of ${carIds}`);
      const first = cars.indexOf(tested[0] as Car);
      if (tested.some((car, at) => cars[first + at] !== car)) throw this.broken(`${carIds} are no neighbours`);
    }
  }

  private checkBranch(cars: readonly Car[]): void {
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

  /** What a signal may do at all. */
  protected expectHeard(before: Train, signal: Signal, { train: after, steps, events }: Outcome): void {
    const changed = after !== before;
    const said = (): string => JSON.stringify(signal);
    if (!changed && (events.length > 0 || steps.some(inTransaction)))
      throw this.broken(`${said()} changes nothing and says something`);
    if (changed && isDeepStrictEqual(after, before)) throw this.broken(`${said()} makes another train of the same`);
    const named = steps.filter(inTransaction).map((step) => JSON.stringify(step));
    if (new Set(named).size < named.length) throw this.broken(`${said()} names a step twice: ${named}`);
    if (signal.kind === 'switched_off' && after.cars.some(({ status }) => status !== 'merging'))
      throw this.broken('cars stay on a train that is off');
    this.expectConcern(before, signal, changed);
    if (signal.kind === 'removed') {
      const car = before.cars.find(({ id }) => id === signal.carId);
      const leaves = car !== undefined && car.status !== 'merging';
      if (leaves && after.cars.some(({ id }) => id === signal.carId)) throw this.broken(`${said()} and the car stays`);
    }
  }

  /** A signal about what is not there, not current or being merged changes nothing. */
  private expectConcern(before: Train, signal: Signal, changed: boolean): void {
    if (!changed) return;
    const about =
      'carId' in signal && signal.kind !== 'added'
        ? before.cars.find(({ id }) => id === signal.carId)
        : signal.kind === 'reported' || signal.kind === 'timed_out'
          ? before.cars.find(({ build }) => build?.pipelineId === signal.pipelineId)
          : 'none';
    const ends = signal.kind === 'landed' || signal.kind === 'landing_failed';
    if (about === 'none') return;
    if (about === undefined || (about.status === 'merging') !== ends)
      throw this.broken(`${JSON.stringify(signal)} changes what it is not about`);
  }

  /** What is due is the same whenever the train is looked at, and nothing is left to be put in order. */
  protected expectDue({ train, steps }: Outcome): void {
    if (this.unseen) return;
    const again = this.machine(train, { kind: 'resumed' });
    if (again.train !== train) throw this.broken('the train is not in order after a signal');
    const said = steps.filter((step) => !inTransaction(step));
    if (!isDeepStrictEqual(said, again.steps))
      throw this.broken(`steps ${JSON.stringify(said)} differ from what is due: ${JSON.stringify(again.steps)}`);
  }

  /** A paused train moves nothing: it builds, begins and blames nothing, and opens no pipeline but the probe. */
  protected expectQuiet(before: Train, signal: Signal, { train, steps, events }: Outcome): void {
    if (train.state === 'paused') {
      const moves = steps.find(({ kind }) => ['build', 'land', 'blame', 'open_pipeline'].includes(kind));
      if (moves !== undefined) throw this.broken(`a paused train is to ${JSON.stringify(moves)}`);
    }
    if (before.state !== 'paused') return;
    const blamed = events.find((event) => event.kind === 'removed' && failures.has(event.reason));
    if (blamed !== undefined) throw this.broken(`a paused train blames ${JSON.stringify(blamed)}`);
    if (train !== before && ['built', 'landing_begun', 'blamed'].includes(signal.kind))
      throw this.broken(`a paused train moves by ${JSON.stringify(signal)}`);
  }

  /** Pipelines that run, as far as the train has heard. */
  protected expectWindow(): void {
    const running = this.pipelines.filter(
      ({ id, carIds, canceled, deleted, heard }) =>
        carIds.length > 0 && !canceled && !deleted && heard === 'pending' && !this.landedBy.has(id),
    );
    if (running.length > this.train.parallel) throw this.broken(`${running.length} pipelines run`);
  }

  protected expectRemoval(event: Removal, mergeRequestId: number): void {
    const { carId, reason, pipelineId, blamedOn } = event;
    const happened =
      reason === 'pipeline_canceled'
        ? this.pipeline(pipelineId)?.heard === 'canceled'
        : failures.has(reason) || this.causes.get(carId)?.has(reason) === true;
    if (!happened) throw this.broken(`car ${carId} leaves for ${reason}, which never happened`);
    if (!failures.has(reason)) return;
    if (blamedOn === undefined) throw this.broken(`car ${carId} leaves for ${reason} without evidence`);
    if (!this.everLanded.has(blamedOn.base))
      throw this.broken(`car ${carId} leaves for ${reason} on ${blamedOn.base}, which holds an unlanded car`);
    if (reason === 'pipeline_failed' || reason === 'timeout')
      this.expectJust(event, mergeRequestId, blamedOn.build?.sha);
    else if (this.obstacleOf(carId, blamedOn.base) !== reason)
      throw this.broken(`car ${carId} leaves for ${reason} and can be built on ${blamedOn.base}`);
  }

  /** The commit itself failed, alone on what has landed, as often as the project says. */
  private expectJust({ carId, reason, pipelineId, blamedOn }: Removal, mergeRequestId: number, sha = ''): void {
    const { onto, carId: holds } = this.git.read(sha) ?? {};
    const evidence = this.pipeline(pipelineId);
    if (
      blamedOn === undefined ||
      onto !== blamedOn.base ||
      holds !== carId ||
      evidence?.sha !== sha ||
      evidence.carIds.length > 1
    )
      throw this.broken(`the evidence against car ${carId} is of something else`);
    if (evidence.heard !== (reason === 'timeout' ? 'late' : 'failed'))
      throw this.broken(`car ${carId} leaves for ${reason}, its pipeline is ${evidence.heard}`);
    if (reason === 'timeout') return;
    const times = this.pipelines.filter((one) => one.sha === sha && one.heardFailed).length;
    if (times <= this.train.retries)
      throw this.broken(
        `car ${carId} leaves after ${times} failures and is to be tested ${this.train.retries} times again`,
      );
    const names = blamedOn.build?.failedNames ?? [];
    if (names.length === 0) return;
    this.departures.push({ mergeRequestId, names });
    this.expectNoRow();
  }

  /** Three different merge requests in a row do not leave for one name. */
  private expectNoRow(): void {
    for (const name of this.departures.at(-1)?.names ?? []) {
      const end = this.departures.findLastIndex(({ names }) => !names.includes(name));
      const row = new Set(this.departures.slice(end + 1).map(({ mergeRequestId }) => mergeRequestId));
      if (row.size >= 3) throw this.broken(`${[...row]} left in a row for ${name}`);
    }
  }

  /** A train stops itself because of names that failed for three merge requests, and goes on by a probe or a decision. */
  protected expectStateChange(event: Extract<TrainEvent, { kind: 'state_changed' }>, signal: Signal): void {
    if (event.targetFailing) {
      for (const name of event.names) {
        const failing = this.pipelines.filter(
          ({ carIds, failedNames }) => carIds.length === 1 && failedNames.has(name),
        );
        const requests = new Set(failing.flatMap(({ carIds }) => carIds.map((id) => this.requestOf.get(id))));
        if (requests.size < 3) throw this.broken(`the train stops for ${name}, which failed for ${requests.size}`);
      }
      if (event.names.length === 0) throw this.broken('the train stops for no name');
      return;
    }
    if (signal.kind === 'controlled') return;
    const probe =
      signal.kind === 'probe_reported' && signal.verdict === 'green' ? this.pipeline(signal.pipelineId) : undefined;
    if (!this.stoppedItself || probe?.carIds.length !== 0 || !this.everLanded.has(probe.sha))
      throw this.broken('the train goes on by itself');
  }
}
