import type { WaitingTrain } from '../domain/stuck-train';
import type { MeasuredTrain, StatisticsRange } from '../domain/train-statistics';

/** Counters of trains. */
export interface TrainCounters {
  /**
   * A train and its counters in a range: two statements, whose cost depends on the days and names of the range alone.
   * @returns undefined for a branch without a train
   */
  measured(
    key: { readonly projectId: number; readonly targetBranch: string },
    range: StatisticsRange,
  ): Promise<MeasuredTrain | undefined>;
}

/** Trains as their watchdog sees them. */
export interface WatchedTrains {
  /**
   * Trains with cars, not paused, that have waited for at least `leastPatience` after a green pipeline since their last
   * landing: the longest waiting first, at most 1,000, from one statement.
   */
  waiting(now: Date): Promise<WaitingTrain[]>;
  /**
   * Has stuck trains read their target branches and run their jobs; passes over those that have landed since, or are
   * being changed now.
   * @returns ids of those that were not known to be stuck
   */
  lookAgain(stuck: readonly WaitingTrain[], now: Date): Promise<number[]>;
  /** Notes that no other trains than these are stuck. */
  recovered(stuck: readonly WaitingTrain[]): Promise<void>;
  /** How many trains are stuck. */
  countStuck(): Promise<number>;
}

/** What trains keep of the past one by one. Each keeps the newest 1,000 of a train, and all of `days`. */
export interface TrainRetention {
  /** Deletes pipelines of trains that need not be kept, at most `limit`; returns how many. */
  pruneRuns(days: number, limit: number): Promise<number>;
  /** Deletes departures that need not be kept, at most `limit`; returns how many. */
  pruneDepartures(days: number, limit: number): Promise<number>;
}
