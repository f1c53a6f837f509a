import type { TrainEvidence } from '../../merge-requests';
import type { MergeTrainEntry } from './merge-train-entry';
import type { TrainControlView } from './train-control';

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

/** A car that landed or was removed, and why. */
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
  readonly control: Omit<TrainControlView, 'changes'>;
  /** In the order of the queue, the first `viewedCars` of them. */
  readonly entries: readonly MergeTrainEntry[];
  /** Cars that have not landed. */
  readonly total: number;
  /** The newest first. */
  readonly departures: readonly Departure[];
}

/** Most cars that a view holds. */
export const viewedCars = 200;

/** Most departures that a view holds. */
export const viewedDepartures = 20;
