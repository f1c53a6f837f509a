import type { AlertStatus } from './alert';

/** Status and end of an alert after a change. */
export interface ChangedStatus {
  readonly status: AlertStatus;
  /** Undefined for one that has not ended. */
  readonly endedAt: Date | undefined;
}

/**
 * What becomes of an alert whose status is set other than by a payload: one that is resolved ends now, one taken up again has not ended.
 * It tells no end by which later payloads would be late. Undefined when nothing changes.
 */
export function changeStatus(
  before: { readonly status: AlertStatus; readonly endedAt: Date | undefined },
  status: AlertStatus,
  now: Date,
): ChangedStatus | undefined {
  if (before.status === status) return undefined;
  if (status === 'resolved') return { status, endedAt: now };
  return { status, endedAt: before.status === 'resolved' ? undefined : before.endedAt };
}

/** Users of one set that are not in another, in order. */
export const without = (users: readonly number[], others: readonly number[]): number[] =>
  users.filter((id) => !others.includes(id));
