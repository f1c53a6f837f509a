import type { IgnoreReason } from '../../alerts';

/** The times in a message of one fingerprint, in milliseconds since 1970; undefined where the payload has none. */
export interface Message {
  readonly isEnd: boolean;
  readonly startsAt: number | undefined;
  readonly endsAt: number | undefined;
  /** True when the same message raises a new alert after the one before was resolved (custom format, api.md 3). */
  readonly raisesAgain: boolean;
}

/** The state of one fingerprint of a project. */
export interface FingerprintState {
  /** Its unresolved alert. */
  readonly open: OpenAlert | undefined;
  /** The latest end that a payload reported, of any alert. */
  readonly lastEnd: ReportedEnd | undefined;
}

/** The unresolved alert of a fingerprint. */
export interface OpenAlert {
  /** The latest start that one of its messages reported. */
  readonly lastStart: number | undefined;
}

/** An end that a payload reported. */
export interface ReportedEnd {
  readonly startedAt: number | undefined;
  readonly endedAt: number;
  /** When the message arrived; `lateFor` earlier for an end that does not make later starts late. */
  readonly reportedAt: number;
}

/**
 * Milliseconds after the arrival of an end within which a start before that end is late. Longer than the delay of a
 * message, also from a second Alertmanager of a cluster (seconds). Shorter than Alertmanager's group_interval (5
 * minutes by default): an Alertmanager that was cut off from its Prometheus may report the end of an alert that still
 * fires. Its next message repeats the same start and must raise an alert, since the one after it may be hours away. A
 * missed alert is worse than a second one.
 */
export const lateFor = 4 * 60_000;

/** The outcome of a message. */
export type MessageOutcome =
  | { readonly outcome: 'created' }
  | { readonly outcome: 'counted' }
  | { readonly outcome: 'resolved'; readonly endedAt: number }
  | { readonly outcome: 'ignored'; readonly reason: IgnoreReason };

/** The state of a fingerprint that was never reported. */
export const initialState: FingerprintState = { open: undefined, lastEnd: undefined };

/**
 * The rule of time (docs/adr/0011-alert-episodes.md): applies a message to the state that earlier messages left.
 * Messages may arrive in any order and more than once. Only starts and ends that the payload reports count.
 *
 * - Firing, with an unresolved alert: counted; the start moves forward, never back.
 * - Firing, without one: a new alert. The message is late, and ignored, when the latest reported end arrived less than `lateFor`
 *   ago and the start lies before that end or is the start reported with it.
 * - End, with an unresolved alert: resolves it, unless it ended before a start that was counted since.
 * - End, without one: changes nothing.
 * - A reported end is stored in both cases. An end in the future counts as of its arrival: otherwise every start until then
 *   would be late. Where repeats raise new alerts, an end that resolved an alert makes no start late, also when it is repeated.
 *
 * @param now time of arrival, milliseconds since 1970
 */
export function applyMessage(
  state: FingerprintState,
  message: Message,
  now: number,
): { state: FingerprintState; result: MessageOutcome } {
  return message.isEnd ? applyEnd(state, message, now) : applyFiring(state, message, now);
}

function applyFiring(
  { open, lastEnd }: FingerprintState,
  { startsAt }: Message,
  now: number,
): { state: FingerprintState; result: MessageOutcome } {
  if (open !== undefined) {
    const lastStart = latestOf(open.lastStart, startsAt);
    return { state: { open: { lastStart }, lastEnd }, result: { outcome: 'counted' } };
  }
  const isLate =
    startsAt !== undefined &&
    lastEnd !== undefined &&
    now - lastEnd.reportedAt < lateFor &&
    (startsAt < lastEnd.endedAt || startsAt === lastEnd.startedAt);
  if (isLate) return { state: { open, lastEnd }, result: { outcome: 'ignored', reason: 'already_ended' } };
  return { state: { open: { lastStart: startsAt }, lastEnd }, result: { outcome: 'created' } };
}

function applyEnd(
  state: FingerprintState,
  message: Message,
  now: number,
): { state: FingerprintState; result: MessageOutcome } {
  const { open } = state;
  const { endsAt, raisesAgain } = message;
  const lastEnd = remember(state.lastEnd, message, now);
  if (open === undefined) {
    return { state: { open, lastEnd }, result: { outcome: 'ignored', reason: 'no_open_alert' } };
  }
  if (endsAt !== undefined && open.lastStart !== undefined && endsAt < open.lastStart) {
    return { state: { open, lastEnd }, result: { outcome: 'ignored', reason: 'ended_before_this_start' } };
  }
  const isNewEnd = lastEnd !== undefined && lastEnd !== state.lastEnd;
  return {
    state: { open: undefined, lastEnd: raisesAgain && isNewEnd ? { ...lastEnd, reportedAt: now - lateFor } : lastEnd },
    result: { outcome: 'resolved', endedAt: endsAt ?? now },
  };
}

const latestOf = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : other === undefined ? one : Math.max(one, other);

function remember(
  known: ReportedEnd | undefined,
  { startsAt: startedAt, endsAt, raisesAgain }: Message,
  now: number,
): ReportedEnd | undefined {
  if (endsAt === undefined) return known;
  const endedAt = Math.min(endsAt, now);
  if (known !== undefined && endedAt <= known.endedAt) return known;
  // A sender that repeats an end may report the time of the repetition.
  const isRepeated = raisesAgain && known !== undefined && known.startedAt === startedAt;
  return { startedAt, endedAt, reportedAt: isRepeated ? known.reportedAt : now };
}
