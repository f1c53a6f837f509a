import type { RemovalReason } from './removal-reason';

/** The verdict of the reports of a car's pipeline; `late`: it had none in time. */
export type Verdict = 'pending' | 'green' | 'failed' | 'canceled' | 'late';

/**
 * What happens to the car of a merge request that changes the merge request as well; the train decides what follows.
 */
export type CarSignal =
  | { readonly kind: 'removed'; readonly carId: number; readonly reason: RemovalReason }
  /** It is removed for its own failure, if the train still blames it. */
  | { readonly kind: 'blamed'; readonly carId: number }
  /**
   * The intent to land was committed: from here on the car is not removed. `to`: where the branch moves, the tip of what
   * lands with it.
   */
  | { readonly kind: 'landing_begun'; readonly carId: number; readonly sha: string; readonly to: string }
  /** The target branch was found elsewhere. */
  | { readonly kind: 'landing_failed'; readonly carId: number; readonly sha: string };
