import { dateOf } from '../../rules';

const dayMs = 86_400_000;

/** Days of the replacement of a rotated token, where no date is given (G-4.5-11). */
export const rotationDays = 7;

/** The calendar date, UTC, `days` after `now`. */
export const dateAfter = (now: Date, days: number): string => dateOf(new Date(now.getTime() + days * dayMs));

/**
 * What is wrong with a date of expiry (G-5-9); undefined when it is valid. A date in the past makes a token that was
 * never valid.
 */
export function expiryProblem(expiresAt: string, now: Date, lifetimeDays: number): string | undefined {
  const latest = dateAfter(now, lifetimeDays);
  return expiresAt > latest ? `Expiration date must be before ${latest}` : undefined;
}
