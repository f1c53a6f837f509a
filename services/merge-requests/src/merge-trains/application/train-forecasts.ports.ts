import type { ExpectedEntry, TrainHistory } from '../domain/train-forecast';

/** What forecasts rest on, and where what they say is kept. */
export interface TrainForecasts {
  /** Id of the train of a branch; undefined when there is none. */
  trainOf(projectId: number, targetBranch: string): Promise<number | undefined>;
  /** The newest 200 runs of a train that ended with a verdict, and its newest 200 departures, from one statement. */
  history(trainId: number): Promise<TrainHistory>;
  /**
   * Takes over the forecast of a train: for one process at a time, when the train has changed since the last one or that
   * is a minute old.
   * @returns whether there is one to make
   */
  claim(trainId: number): Promise<boolean>;
  /** Keeps when cars are expected to land, where that has changed, in one statement under the lock of the train, and notifies
   * those who watch. It is no change of the train. */
  keep(trainId: number, entries: readonly ExpectedEntry[]): Promise<void>;
  /** Trains with cars whose forecast is a minute old: the oldest first, at most 200, from one statement. */
  outdated(): Promise<number[]>;
}
