import type { RemovalReason } from './removal-reason';

/** The verdict of the reports of a car's pipeline. */
export type Verdict = 'pending' | 'green' | 'failed' | 'canceled';

/**
 * What happens to the car of a merge request, which may remove the merge request from its train; the train decides what
 * follows.
 */
export type CarSignal =
  | { readonly kind: 'removed'; readonly carId: number; readonly reason: RemovalReason }
  | {
      readonly kind: 'not_buildable';
      readonly carId: number;
      readonly onto: string;
      readonly reason: 'conflict' | 'no_changes' | 'build_failed';
    }
  | { readonly kind: 'reported'; readonly carId: number; readonly pipelineId: number; readonly verdict: Verdict }
  | { readonly kind: 'timed_out'; readonly carId: number; readonly pipelineId: number }
  /** The intent to land was committed: from here on the car is not removed. */
  | { readonly kind: 'landing_begun'; readonly carId: number; readonly sha: string }
  /** The target branch was found elsewhere. */
  | { readonly kind: 'landing_failed'; readonly carId: number; readonly sha: string };
