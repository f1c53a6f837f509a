import type { Tx } from '@switchyard/database';
import type { MergeRequestEdges } from '../../merge-requests';
import type { RepositoryAccess } from '../../repositories';
import type { HoldReason } from '../domain/merge-train';
import type { BuiltCar, StoredCar, StoredTrain, TrainRights } from '../domain/stored-train';
import type { TrainControl } from '../domain/train-control';

/** Where merge trains are kept. Every change goes through the state machine under the lock of the train's row. */
export interface MergeTrainStore {
  /** A train with its cars and what their pipelines report; undefined when there is none. */
  load(trainId: number): Promise<StoredTrain | undefined>;
  /**
   * The target branch was read, after `moves` of it had been reported. A deleted branch is not reported here: its cars
   * are removed one by one.
   */
  targetRead(trainId: number, sha: string, moves: number | undefined): Promise<void>;
  /**
   * Saves what the pipelines report and what time brings about, but no removal.
   * @returns whether that changed anything
   */
  news(trainId: number, now: Date): Promise<boolean>;
  /**
   * A car was built: points its ref at the commit and opens its pipeline, unless the train has changed since.
   * `pointRef` runs under the lock of the train.
   * @returns whether the build was taken
   */
  built(
    trainId: number,
    carId: number,
    build: { onto: string; sha: string },
    written: BuiltCar,
    pointRef: (tx: Tx) => Promise<void>,
  ): Promise<boolean>;
  /**
   * A car cannot be built on a commit: it waits until another one is ahead of it, or leaves when that has landed.
   * @returns whether that was news
   */
  held(trainId: number, carId: number, onto: string, reason: HoldReason): Promise<boolean>;
  /** Notes that everything was done for a train, up to `dueAt`, under the settings that were read. */
  attended(trainId: number, settings: string, dueAt: Date | undefined): Promise<void>;
  /** Counts that building a car has failed; returns how often in a row. */
  buildFailed(carId: number): Promise<number>;
  /** Whether the source branch of a car is being moved, or was and its merge request has not been updated. */
  isBeingPushed(car: StoredCar): Promise<boolean>;
  /** Trains for which something is due that no event announced. */
  due(): Promise<number[]>;
  /** Trains with cars and with ids above `after`, ascending, at most `limit`. */
  rights(after: number, limit: number): Promise<TrainRights[]>;
  /** Runs `work` while the merge request is on no train and cannot join one; not at all while it is on one. */
  whileNotQueued(projectId: number, iid: number, work: (tx: Tx) => Promise<void>): Promise<void>;
}

/** Where it is kept what trains are to do. */
export interface TrainControls {
  /** Id of the train of a branch; undefined when there is none. */
  trainOf(projectId: number, targetBranch: string): Promise<number | undefined>;
  /**
   * Sets what a train does, under the lock of its row, and records who decided it; nothing when it does that already.
   * @param actorId the user who decides
   */
  control(trainId: number, control: TrainControl, actorId: number): Promise<void>;
}

/** What the use cases of merge trains work with. */
export interface MergeTrainEdges
  extends RepositoryAccess,
    Pick<MergeRequestEdges, 'mergeRequests' | 'directory' | 'refreshThreads' | 'externalUrl' | 'clock'> {
  readonly mergeTrains: MergeTrainStore;
  /** Has the job of a train run at a time that is near; the sweep finds the others. */
  readonly wakeTrainAt: (trainId: number, at: Date) => void;
}
