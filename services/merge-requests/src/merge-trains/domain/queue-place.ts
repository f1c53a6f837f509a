import type { Verdict } from '../../merge-requests';
import type { TrainState } from './merge-train';

/** One status name as its newest report has it. */
export interface ReportedName {
  readonly name: string;
  readonly status: string;
}

/** A car of a train as its queue shows it. */
export interface QueuedCar {
  readonly id: number;
  readonly mergeRequestIid: number;
  readonly status: string;
  /** Its own commit; undefined until it is built. */
  readonly sha: string | undefined;
  /** Id of the first car of those that are tested together. */
  readonly batchId: number | undefined;
  readonly verdict: Verdict;
  /** How often its commit was tested again. */
  readonly reruns: number;
  /** It has failed on its commit before. */
  readonly hasFailed: boolean;
  /** It could not be built on what is ahead of it. */
  readonly held: boolean;
  readonly expectedAt: Date | undefined;
  /** The pipeline that tests it, and the commit that one runs on. */
  readonly pipeline: { readonly id: number; readonly sha: string } | undefined;
  /** Names that have been reported of its pipeline; counted as far as the project asks. */
  readonly reported: number;
  /** Newest report of each name that has not passed, and of each that is required. */
  readonly statuses: readonly ReportedName[];
}

/** The queue of a train. */
export interface TrainQueue {
  readonly state: TrainState;
  /** Pipelines that may run at the same time. */
  readonly window: number;
  readonly requiredStatuses: readonly string[];
  /** Without required names: how many there must be. */
  readonly requiredStatusCount: number;
  /** In queue order. */
  readonly cars: readonly QueuedCar[];
}

/** What a car waits for. */
export interface WaitingFor {
  readonly reason: 'place' | 'build' | 'statuses' | 'settling' | 'cars_ahead' | 'rerun' | 'train';
  /** Names that have not passed, for `statuses`. */
  readonly statuses: readonly string[];
}

/** Where a car stands in its queue, and what holds it. */
export interface QueuePlace {
  /** From 1. */
  readonly position: number;
  /** It has failed, and waits in its place until it is known that it is to blame. */
  readonly failing: boolean;
  /** Those that are tested together, in queue order; undefined for one that is tested alone. */
  readonly batch: { readonly id: number; readonly mergeRequestIids: readonly number[] } | undefined;
  readonly expectedAt: Date | undefined;
  /** Undefined while it lands. */
  readonly waitingFor: WaitingFor | undefined;
  readonly testedSha: string | undefined;
  readonly sha: string | undefined;
}

/** Names that an entry lists: a pipeline may have thousands. */
const shownNames = 20;

const because = (reason: WaitingFor['reason'], statuses: readonly string[] = []): WaitingFor => ({
  reason,
  statuses: statuses.slice(0, shownNames),
});

/** The names that hold a pipeline up: those required, or those that were reported, and have not passed. */
function missingNames({ statuses }: QueuedCar, required: readonly string[]): string[] {
  const passed = new Set(statuses.filter(({ status }) => status === 'success').map(({ name }) => name));
  const asked = required.length > 0 ? required : statuses.map(({ name }) => name);
  return asked.filter((name) => !passed.has(name));
}

const isFailing = ({ held, verdict, hasFailed }: QueuedCar): boolean =>
  held || verdict === 'failed' || verdict === 'canceled' || verdict === 'late' || (hasFailed && verdict !== 'green');

/** What a car waits for, by what is stored of it; undefined while it lands. */
function waitingFor(car: QueuedCar, at: number, train: TrainQueue): WaitingFor | undefined {
  if (car.status === 'merging') return undefined;
  if (train.state === 'paused') return because('train');
  if (car.sha === undefined) {
    if (car.held) return because('cars_ahead');
    const tested = new Set(
      train.cars.flatMap(({ pipeline, verdict }) => (verdict === 'pending' ? (pipeline?.id ?? []) : [])),
    );
    return because(tested.size >= train.window ? 'place' : 'build');
  }
  if (isFailing(car)) return because(car.verdict === 'pending' || at === 0 ? 'rerun' : 'cars_ahead');
  if (car.verdict === 'green') return at === 0 ? undefined : because('cars_ahead');
  if (car.pipeline === undefined) return because('place');
  const missing = missingNames(car, train.requiredStatuses);
  const least = train.requiredStatuses.length > 0 ? 0 : Math.max(1, train.requiredStatusCount);
  // Names that are yet to come are not known: then the list is empty.
  if (missing.length > 0 || car.reported < least) return because('statuses', missing);
  return because('settling');
}

/** Where each car of a train stands, by its id. */
export function placesOf(train: TrainQueue): Map<number, QueuePlace> {
  const batches = new Map<number, number[]>();
  for (const { batchId, mergeRequestIid } of train.cars) {
    if (batchId !== undefined) batches.set(batchId, [...(batches.get(batchId) ?? []), mergeRequestIid]);
  }
  return new Map(
    train.cars.map((car, at) => {
      const { id, batchId, pipeline, sha, expectedAt } = car;
      const members = batchId === undefined ? [] : (batches.get(batchId) ?? []);
      return [
        id,
        {
          position: at + 1,
          failing: isFailing(car),
          batch: batchId === undefined || members.length < 2 ? undefined : { id: batchId, mergeRequestIids: members },
          expectedAt,
          waitingFor: waitingFor(car, at, train),
          testedSha: pipeline?.sha,
          sha,
        },
      ];
    }),
  );
}
