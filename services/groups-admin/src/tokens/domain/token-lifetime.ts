import { dateOf } from '../../rules';

const dayMs = 86_400_000;

/** Days of the replacement of a rotated token, where no date is given (G-4.5-11). */
export const rotationDays = 7;

/** The calendar date, UTC, `days` after `now`. */
export const dateAfter = (now: Date, days: number): string => dateOf(new Date(now.getTime() + days * dayMs));

/** What a date of expiry is held against. */
export interface LifetimeRule {
  readonly now: Date;
  /** Longest lifetime of a token, days. */
  readonly lifetimeDays: number;
  /** Whether the date has to be later than today; where it need not, an earlier one makes a token that was never valid. */
  readonly mustBeAhead: boolean;
}

/** What is wrong with a date of expiry (G-5-9); undefined when it is valid. */
export function expiryProblem(expiresAt: string, { now, lifetimeDays, mustBeAhead }: LifetimeRule): string | undefined {
  if (mustBeAhead && expiresAt <= dateOf(now)) return 'Expiration date cannot be in the past';
  const latest = dateAfter(now, lifetimeDays);
  return expiresAt > latest ? `Expiration date must be before ${latest}` : undefined;
}
