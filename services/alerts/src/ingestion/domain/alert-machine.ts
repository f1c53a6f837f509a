import type { IgnoreReason } from '../../alerts';

/** A message of one fingerprint, as far as time is concerned; moments in milliseconds since 1970, undefined where the payload says none. */
export interface Message {
  readonly isEnd: boolean;
  readonly startsAt: number | undefined;
  readonly endsAt: number | undefined;
  /** True where the same message raises a new alert once the one before has been resolved (custom format, api.md 3). */
  readonly repeatsAnew: boolean;
}

/** What is known of one fingerprint of a project. */
export interface Course {
  /** Its unresolved alert. */
  readonly open: OpenAlert | undefined;
  /** The greatest end that a payload told, of whichever alert. */
  readonly lastEnd: ToldEnd | undefined;
}

/** The unresolved alert of a fingerprint. */
export interface OpenAlert {
  /** The greatest start that any of its messages told. */
  readonly lastStart: number | undefined;
}

/** An end that a payload told. */
export interface ToldEnd {
  readonly startedAt: number | undefined;
  readonly endedAt: number;
  /** When the message that told it arrived; `lateFor` earlier for one that keeps nothing out. */
  readonly toldAt: number;
}

/**
 * Milliseconds after the arrival of an end within which a start that lies before it is late. Longer than a message lingers that somebody still
 * sends, or a second Alertmanager of a cluster (seconds); shorter than Alertmanager's group_interval, 5 minutes unless told: when the end of
 * what fires on was told, as by one that had been cut off from its Prometheus, the next message about the group tells the same start again
 * and is to be heard, for the one after it is hours away. An alert that is missed weighs more than one that is opened twice.
 */
export const lateFor = 4 * 60_000;

/** What becomes of a message. */
export type Verdict =
  | { readonly outcome: 'created' }
  | { readonly outcome: 'counted' }
  | { readonly outcome: 'resolved'; readonly endedAt: number }
  | { readonly outcome: 'ignored'; readonly reason: IgnoreReason };

/** What is known of a fingerprint that nobody has reported yet. */
export const freshCourse: Course = { open: undefined, lastEnd: undefined };

/**
 * The rule of time (docs/adr/0011-alert-episodes.md): what a message means in view of those taken before it, in whatever order they come
 * and however often. Starts and ends count only where the payload says them.
 *
 * - Firing while one is unresolved: counted; its start moves forward, never back.
 * - Firing while none is: a new alert, unless the greatest end told arrived less than `lateFor` ago and its start lies before that
 *   end, or is the start of that very end: then it comes late.
 * - End while one is unresolved: resolves it, unless it ended before a start that was counted since.
 * - End while none is: changes nothing.
 * - An end that is told is remembered either way, one in the future as of the moment of its arrival, or it would keep out whatever comes
 *   until then. Where repeats raise new alerts, one that has resolved an alert keeps nothing out, however often it is told again.
 *
 * @param now moment of arrival, milliseconds since 1970
 */
export function take(course: Course, message: Message, now: number): { course: Course; verdict: Verdict } {
  return message.isEnd ? takeEnd(course, message, now) : takeFiring(course, message, now);
}

function takeFiring(
  { open, lastEnd }: Course,
  { startsAt }: Message,
  now: number,
): { course: Course; verdict: Verdict } {
  if (open !== undefined) {
    const lastStart = latest(open.lastStart, startsAt);
    return { course: { open: { lastStart }, lastEnd }, verdict: { outcome: 'counted' } };
  }
  const isLate =
    startsAt !== undefined &&
    lastEnd !== undefined &&
    now - lastEnd.toldAt < lateFor &&
    (startsAt < lastEnd.endedAt || startsAt === lastEnd.startedAt);
  if (isLate) return { course: { open, lastEnd }, verdict: { outcome: 'ignored', reason: 'already_ended' } };
  return { course: { open: { lastStart: startsAt }, lastEnd }, verdict: { outcome: 'created' } };
}

function takeEnd(course: Course, message: Message, now: number): { course: Course; verdict: Verdict } {
  const { open } = course;
  const { endsAt, repeatsAnew } = message;
  const lastEnd = remember(course.lastEnd, message, now);
  if (open === undefined) {
    return { course: { open, lastEnd }, verdict: { outcome: 'ignored', reason: 'no_open_alert' } };
  }
  if (endsAt !== undefined && open.lastStart !== undefined && endsAt < open.lastStart) {
    return { course: { open, lastEnd }, verdict: { outcome: 'ignored', reason: 'ended_before_this_start' } };
  }
  const isNews = lastEnd !== undefined && lastEnd !== course.lastEnd;
  return {
    course: { open: undefined, lastEnd: repeatsAnew && isNews ? { ...lastEnd, toldAt: now - lateFor } : lastEnd },
    verdict: { outcome: 'resolved', endedAt: endsAt ?? now },
  };
}

const latest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : other === undefined ? one : Math.max(one, other);

function remember(
  known: ToldEnd | undefined,
  { startsAt: startedAt, endsAt, repeatsAnew }: Message,
  now: number,
): ToldEnd | undefined {
  if (endsAt === undefined) return known;
  const endedAt = Math.min(endsAt, now);
  if (known !== undefined && endedAt <= known.endedAt) return known;
  // A sender that repeats an end may tell the moment of repetition.
  const isRepeated = repeatsAnew && known !== undefined && known.startedAt === startedAt;
  return { startedAt, endedAt, toldAt: isRepeated ? known.toldAt : now };
}
