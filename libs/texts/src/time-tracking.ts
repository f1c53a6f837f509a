import { humanTime, maxSeconds, parseDuration } from './durations';

/** What is done to the times of an issue or a merge request; `duration` as users write it, such as `3h 30m`. */
export interface TimeTracking {
  readonly kind: 'estimate' | 'spend' | 'reset_estimate' | 'reset_spent';
  /** Ignored by resets. */
  readonly duration: string;
  /** The day of the work, `YYYY-MM-DD`, of time spent; undefined: now. */
  readonly spentAt?: string | undefined;
  /** What the time was spent on. */
  readonly summary?: string | undefined;
  /** The note whose quick action it is. */
  readonly noteId?: number | undefined;
}

/** Time to be logged. */
export interface SpentTime {
  /** Not 0; negative to subtract. */
  readonly seconds: number;
  readonly spentAt: string | undefined;
  readonly summary: string | undefined;
  readonly noteId?: number | undefined;
}

/** Times of an issue or a merge request, in seconds, each from 0 to 2^31 - 1. */
export interface WorkTimes {
  readonly timeEstimate: number;
  readonly totalTimeSpent: number;
}

/** The times that change and the entries of time that explain them. */
export interface ChangedTimes {
  readonly times: Partial<WorkTimes>;
  readonly logs: readonly SpentTime[];
}

/** What changes, or why nothing may: problems by parameter, in the words of the API. */
export type TrackedTime = ChangedTimes | { readonly problems: Record<string, string[]> };

/** Characters of a summary. */
const maxSummary = 255;

const summaryProblems = (summary: string | undefined): Record<string, string[]> =>
  [...(summary ?? '')].length > maxSummary ? { summary: [`is too long (maximum is ${maxSummary} characters)`] } : {};

/** A new total of the time spent; fails outside of what may be. */
function totalOf(total: number): Record<string, string[]> {
  if (total < 0) return { base: ['Time to subtract exceeds the total time spent'] };
  return total > maxSeconds ? { base: ['Total time spent exceeds the maximum'] } : {};
}

/** Sets or resets an estimate, adds to the time spent or resets it. The caller stores the result. */
export function trackTime({ totalTimeSpent }: WorkTimes, tracking: TimeTracking): TrackedTime {
  const { kind, duration, spentAt, summary, noteId } = tracking;
  const ofNote = noteId === undefined ? {} : { noteId };
  if (kind === 'reset_estimate') return { times: { timeEstimate: 0 }, logs: [] };
  if (kind === 'reset_spent') {
    const logs =
      totalTimeSpent === 0 ? [] : [{ seconds: -totalTimeSpent, spentAt: undefined, summary: undefined, ...ofNote }];
    return { times: { totalTimeSpent: 0 }, logs };
  }
  const seconds = parseDuration(duration);
  if (kind === 'estimate') {
    return seconds === undefined || seconds < 0
      ? { problems: { time_estimate: ['must have a valid format and be greater than or equal to zero.'] } }
      : { times: { timeEstimate: seconds }, logs: [] };
  }
  const total = totalTimeSpent + (seconds ?? 0);
  const problems = {
    ...(seconds === undefined ? { time_spent: ["can't be blank"] } : totalOf(total)),
    ...summaryProblems(summary),
  };
  if (Object.keys(problems).length > 0) return { problems };
  const logs = seconds ? [{ seconds, spentAt, summary: summary || undefined, ...ofNote }] : [];
  return { times: { totalTimeSpent: total }, logs };
}

/** Takes an entry of time out of the time spent. */
export function withoutTime({ totalTimeSpent }: WorkTimes, { seconds }: Pick<SpentTime, 'seconds'>): TrackedTime {
  const total = totalTimeSpent - seconds;
  const problems = totalOf(total);
  return Object.keys(problems).length > 0 ? { problems } : { times: { totalTimeSpent: total }, logs: [] };
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
