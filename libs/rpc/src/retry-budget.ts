/** How many calls to one peer may be repeated, so that repetitions never become most of what a peer in trouble has to do. */
export interface RetryBudget {
  /** Counts a call that succeeded at its first try. */
  succeeded(): void;
  /** Takes one repetition; false when there is none left. */
  take(): boolean;
}

/** As many calls as a replica may have under way when it dies, twice over. */
const most = 128;
/** Ten calls that succeed earn one repetition. */
const earned = 0.1;

/** A full budget. */
export function retryBudget(): RetryBudget {
  let left = most;
  return {
    succeeded() {
      left = Math.min(most, left + earned);
    },
    take() {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
