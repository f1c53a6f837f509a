import { humanTime, maxSeconds, parseDuration } from './durations';

/** What is done to the times of an issue or a merge request; `duration` as users write it, such as `3h 30m`. */
export interface TimeTracking {
  readonly kind: 'estimate' | 'spend' | 'reset_estimate' | 'reset_spent';
  /** Ignored by resets. */
  readonly duration: string;
}

/** Times of an issue or a merge request, in seconds, each from 0 to 2^31 - 1. */
export interface WorkTimes {
  readonly timeEstimate: number;
  readonly totalTimeSpent: number;
}

/** The times that change, or why nothing may: problems by parameter, in the words of the API. */
export type TrackedTime = { readonly times: Partial<WorkTimes> } | { readonly problems: Record<string, string[]> };

/** Sets or resets an estimate, adds to the time spent or resets it. The caller stores the result. */
export function trackTime({ totalTimeSpent }: WorkTimes, { kind, duration }: TimeTracking): TrackedTime {
  if (kind === 'reset_estimate') return { times: { timeEstimate: 0 } };
  if (kind === 'reset_spent') return { times: { totalTimeSpent: 0 } };
  const seconds = parseDuration(duration);
  if (kind === 'estimate') {
    return seconds === undefined || seconds < 0
      ? { problems: { time_estimate: ['must have a valid format and be greater than or equal to zero.'] } }
      : { times: { timeEstimate: seconds } };
  }
  if (seconds === undefined) return { problems: { time_spent: ["can't be blank"] } };
  const total = totalTimeSpent + seconds;
  if (total < 0) return { problems: { base: ['Time to subtract exceeds the total time spent'] } };
  if (total > maxSeconds) return { problems: { base: ['Total time spent exceeds the maximum'] } };
  return { times: { totalTimeSpent: total } };
}

/** Work as a command reports it. */
export interface ReportedTime {
  /** As it was written, without the day. */
  readonly duration: string;
  /** Not 0; negative to subtract. */
  readonly seconds: number;
  /** The day of the work, `YYYY-MM-DD`; undefined when none was named. */
  readonly spentAt: string | undefined;
}

/**
 * Reads `1h 30m` or `1h 30m 2024-01-31`; undefined for no duration, none of length, and a day that is none or has not
 * come by `now` (UTC).
 */
export function parseTimeSpent(text: string, now: Date): ReportedTime | undefined {
  const written = text.trim();
  const spentAt = /\s(\d{4}-\d{2}-\d{2})$/.exec(written)?.[1];
  const duration = spentAt === undefined ? written : written.slice(0, -spentAt.length).trim();
  const seconds = parseDuration(duration);
  if (seconds === undefined || seconds === 0) return undefined;
  if (spentAt === undefined) return { duration, seconds, spentAt };
  const timestamp = new Date(`${spentAt}T00:00:00Z`);
  const exists = !Number.isNaN(timestamp.getTime()) && timestamp.toISOString().startsWith(spentAt);
  return exists && timestamp <= now && !spentAt.startsWith('0000') ? { duration, seconds, spentAt } : undefined;
}

/** Times as the API prints them. */
export const timeStats = ({ timeEstimate, totalTimeSpent }: WorkTimes) => ({
  time_estimate: timeEstimate,
  total_time_spent: totalTimeSpent,
  human_time_estimate: humanTime(timeEstimate),
  human_total_time_spent: humanTime(totalTimeSpent),
});
