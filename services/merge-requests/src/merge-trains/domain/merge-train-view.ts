import type { UserRow } from '@switchyard/directory';
import type { TrainEvidence } from '../../merge-requests';
import type { MergeTrainEntry } from './merge-train-entry';

/** Which train. */
export interface TrainKey {
  readonly projectId: number;
  readonly targetBranch: string;
}

/** A text that is another one whenever a train has changed. */
export interface TrainMarks extends TrainKey {
  readonly trainId: number;
  readonly mark: string;
}

/** What a train is allowed to do. */
export interface TrainControl {
  readonly state: 'running' | 'paused' | 'draining';
  readonly reason: string | undefined;
  /** When it runs again by itself. */
  readonly until: Date | undefined;
  readonly updatedAt: Date | undefined;
  /** Undefined when the train did it, or nobody has changed anything. */
  readonly updatedBy: UserRow | undefined;
  /** The pipeline on the tip of the target branch that is to show whether the branch itself fails. */
  readonly probe: NonNullable<MergeTrainEntry['pipeline']> | undefined;
}

/** One status name as its newest report has it. */
export interface ReportedName {
  readonly name: string;
  readonly status: string;
}

/** A car of a train as those who watch it see it. */
export interface ViewedCar {
  readonly entry: MergeTrainEntry;
  /** Its own commit; undefined until it is built. */
  readonly sha: string | undefined;
  /** Id of the first car of those that are tested together. */
  readonly batchId: number | undefined;
  readonly verdict: 'pending' | 'green' | 'failed' | 'canceled' | 'late';
  /** How often its commit was tested again. */
  readonly reruns: number;
  /** It could not be built on what is ahead of it. */
  readonly held: boolean;
  readonly expectedAt: Date | undefined;
  /** Whether anything has been reported of its pipeline. */
  readonly reported: boolean;
  /** Newest report of each name that has not passed, and of each that is required. */
  readonly statuses: readonly ReportedName[];
}

/** Who left a train, and why. */
export interface Departure {
  readonly mergeRequestIid: number;
  readonly title: string;
  /** `merged`, or the reason of the removal. */
  readonly reason: string;
  readonly at: Date;
  readonly sha: string | undefined;
  readonly evidence: TrainEvidence | undefined;
}

/** A train as it stands. */
export interface MergeTrainView {
  readonly targetBranch: string;
  readonly projectPath: string;
  readonly control: TrainControl;
  /** In the order of the queue, the first `viewedCars` of them. */
  readonly cars: readonly ViewedCar[];
  /** Cars aboard. */
  readonly total: number;
  /** Pipelines that may run at a time. */
  readonly window: number;
  readonly requiredStatuses: readonly string[];
  /** The newest first. */
  readonly departures: readonly Departure[];
}

/** Most cars that a view holds. */
export const viewedCars = 200;

/** Most departures that a view holds. */
export const viewedDepartures = 20;

/** What a car waits for. */
export interface WaitingFor {
  readonly reason: 'place' | 'build' | 'statuses' | 'settling' | 'cars_ahead' | 'rerun' | 'train';
  /** Names that have not passed, for `statuses`. */
  readonly statuses: readonly string[];
}

/** Names that an entry lists: a pipeline may have thousands. */
const shownNames = 20;

const because = (reason: WaitingFor['reason'], statuses: readonly string[] = []): WaitingFor => ({
  reason,
  statuses: statuses.slice(0, shownNames),
});

/** The names that hold a pipeline up: those required, or those that were reported, and have not passed. */
function missingNames({ statuses }: ViewedCar, required: readonly string[]): string[] {
  const passed = new Set(statuses.filter(({ status }) => status === 'success').map(({ name }) => name));
  const asked = required.length > 0 ? required : statuses.map(({ name }) => name);
  return asked.filter((name) => !passed.has(name));
}

/**
 * What a car waits for, told from what is stored of it; undefined while it lands.
 * @param at its place in the queue, from 0
 */
export function waitingFor(
  car: ViewedCar,
  at: number,
  train: Pick<MergeTrainView, 'control' | 'cars' | 'window' | 'requiredStatuses'>,
): WaitingFor | undefined {
  if (car.entry.status === 'merging') return undefined;
  if (train.control.state === 'paused') return because('train');
  // The failure stands once all ahead of it have landed; until then it keeps its place.
  if (isFailing(car)) return because(at === 0 ? 'rerun' : 'cars_ahead');
  if (car.sha === undefined) {
    if (car.held) return because('cars_ahead');
    const tested = new Set(train.cars.slice(0, at).map(({ entry }) => entry.pipeline?.id));
    tested.delete(undefined);
    return because(tested.size >= train.window ? 'place' : 'build');
  }
  if (car.verdict === 'green') return at === 0 ? undefined : because('cars_ahead');
  const missing = missingNames(car, train.requiredStatuses);
  if (missing.length > 0 || !car.reported) return because('statuses', missing);
  return because('settling');
}

/** Whether a car has failed, and waits in its place until it is known that it is to blame. */
export const isFailing = ({ verdict }: ViewedCar): boolean =>
  verdict === 'failed' || verdict === 'canceled' || verdict === 'late';
