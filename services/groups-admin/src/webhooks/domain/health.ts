/** How the deliveries of a webhook went lately (G-6-6). */
export interface Health {
  /** Deliveries in a row whose first try failed. */
  readonly recentFailures: number;
  /** How often it was disabled for a time since the last success. */
  readonly backoffCount: number;
  readonly disabledUntil: Date | undefined;
}

/** The health of a new webhook, and of one that succeeded. */
export const healthy: Health = { recentFailures: 0, backoffCount: 0, disabledUntil: undefined };

/** Failures in a row that disable it for a time, and for good. */
const [forATime, forGood] = [4, 40];
const firstBackoffMs = 60_000;
const longestBackoffMs = 24 * 3_600_000;

/** What the API calls the state. */
export type AlertStatus = 'executable' | 'temporarily_disabled' | 'disabled';

/** Whether it is sent to: not at all after 40 failures in a row, and not for a time after 4 (G-6-6). */
export function alertStatus({ recentFailures, disabledUntil }: Health, now: Date): AlertStatus {
  if (recentFailures >= forGood) return 'disabled';
  return disabledUntil !== undefined && disabledUntil > now ? 'temporarily_disabled' : 'executable';
}

/** How a try ended. */
export interface Try {
  readonly succeeded: boolean;
  /** It was not a repeat. */
  readonly isFirst: boolean;
  /** A user asked for it. */
  readonly isRequested: boolean;
}

/**
 * The health after a try. Repeats, and what users ask for, do not count as failures: a single delivery that fails would
 * else disable its webhook. A success clears all but the state after 40 failures, which a requested one clears.
 */
export function healthAfter(health: Health, { succeeded, isFirst, isRequested }: Try, now: Date): Health {
  if (succeeded) return health.recentFailures >= forGood && !isRequested ? health : healthy;
  if (!isFirst || isRequested) return health;
  const recentFailures = health.recentFailures + 1;
  if (recentFailures < forATime || alertStatus(health, now) !== 'executable' || recentFailures >= forGood) {
    return { ...health, recentFailures };
  }
  const backoff = Math.min(longestBackoffMs, firstBackoffMs * 2 ** health.backoffCount);
  return { recentFailures, backoffCount: health.backoffCount + 1, disabledUntil: new Date(now.getTime() + backoff) };
}
