/** The dates that epics inherit: the earliest start and the latest end of their issues' milestones and child epics. */
export interface EpicDates {
  /** Calls `wake` when dates are to be computed; returns what ends that. */
  onWork(wake: () => void): () => void;
  /** Marks the epics of up to `limit` milestones whose dates have changed; returns how many milestones these were. */
  followMilestones(limit: number): Promise<number>;
  /** Marks every epic that may inherit. */
  markAll(): Promise<void>;
  /** Up to `limit` epics that are marked, and how often they were. */
  work(limit: number): Promise<{ id: number; version: number }[]>;
  /** Computes the dates of epics and of all above them; returns how many were others. Idempotent. */
  compute(ids: readonly number[]): Promise<number>;
  /** Takes marks away that have not been renewed since they were read. */
  done(marks: readonly { readonly id: number; readonly version: number }[]): Promise<void>;
}
