import { type Repeating, repeat } from '@switchyard/background';
import { isAppError } from '@switchyard/errors';
import { logger } from '@switchyard/telemetry';
import { pauseAfter } from './pause-after';

/** Milliseconds between two looks for work that another process left behind, or that pauses for longer; new work is begun at once. */
const interval = 15_000;

/** Milliseconds between two extensions of a lease: a sixth of it. */
const extendEvery = 5_000;

/** Work that a process does until its lease ends. */
export interface Leased {
  readonly lease: string;
  /** Which try this is, from 1. */
  readonly attempt: number;
  /** When it was asked for: a day later it has failed. Undefined for work that has another bound. */
  readonly askedAt?: Date;
}

/** Another process has the work: this one stops, and writes nothing more. */
export class LeaseLost extends Error {}

/** Work has had its turn: it is given back, and what waited for longer comes first. */
export class TurnOver extends Error {}

/** Hours for work, with all that it waits for. */
const maxHours = 24;

class TookTooLong extends Error {
  override readonly message = `it took more than ${maxHours} hours`;
}

/** What a failure means. */
export interface Failure {
  /** Another try would not change it. */
  readonly isFinal: boolean;
  /** What is said of it; undefined where it has no words of its own. */
  readonly text: string | undefined;
  /** Seconds until the next try. */
  readonly pause: number;
  /** It waits for somebody else: this was no try. */
  readonly isPause?: boolean;
}

const failureOf = (error: unknown, attempt: number): Failure => ({
  isFinal: isAppError(error, 'invalid', 'invalid_params', 'too_large', 'not_found'),
  text: isAppError(error) ? String(error.body.error ?? error.body.message) : undefined,
  pause: pauseAfter(attempt),
});

/** Work of one kind. */
export interface LeasedWork<Work extends Leased, Result> {
  /** Names it in logs. */
  readonly name: string;
  /** Times that one is tried. */
  readonly maxAttempts: number;
  readonly leases: {
    /** Takes what waits, or whose lease has run out; undefined without any. */
    claim(): Promise<Work | undefined>;
    /** False when another process has it. */
    extend(one: Work): Promise<boolean>;
    /** Gives it back, to be taken again after some seconds; a pause does not count as a try. */
    release(one: Work, seconds: number, isPause?: boolean): Promise<void>;
  };
  /**
   * Does it. Every step may be repeated: what a process that died left is gone on with (D6). Throws `TurnOver` where others
   * come first.
   * @param keepLease throws where it has to stop; called between steps
   * @param signal ends a step that takes long where it has to stop
   */
  make(one: Work, keepLease: () => Promise<void>, signal: AbortSignal): Promise<Result>;
  /** Records how it ended. */
  end(one: Work, outcome: { readonly file: Result } | { readonly problem: string }): Promise<void>;
  /** What is said of a failure without words of its own. */
  readonly otherwise: string;
  /** What a failure means, where the work knows more than that services refuse. */
  readonly judge?: (error: unknown, one: Work) => Failure | undefined;
}

/** Does work that waits, one after the other in a process, and what other processes left behind; what failed again after its pause. */
export function workLeased<Work extends Leased, Result>(work: LeasedWork<Work, Result>): Repeating {
  const { name, maxAttempts, leases, make, end, otherwise, judge } = work;

  /** Keeps a lease by a clock: a step may wait long for what another service prepares. */
  async function held(one: Work, stopping: AbortSignal): Promise<Result> {
    const lost = new AbortController();
    const signal = AbortSignal.any([stopping, lost.signal]);
    const stopped = (): unknown => (lost.signal.aborted ? lost.signal.reason : new LeaseLost());
    const left = (one.askedAt?.getTime() ?? Number.NaN) + maxHours * 3_600_000 - Date.now();
    if (left <= 0) throw new TookTooLong();
    const ending = left > 0 ? setTimeout(() => lost.abort(new TookTooLong()), left) : undefined;
    const extending = setInterval(() => {
      leases.extend(one).then(
        (isHeld) => isHeld || lost.abort(new LeaseLost()),
        () => undefined,
      );
    }, extendEvery);
    try {
      const keepLease = async (): Promise<void> => {
        if (signal.aborted) throw stopped();
      };
      return await make(one, keepLease, signal);
    } catch (error) {
      throw signal.aborted ? stopped() : error;
    } finally {
      clearInterval(extending);
      clearTimeout(ending);
    }
  }

  async function workOn(one: Work, stopping: AbortSignal): Promise<void> {
    let outcome: { file: Result } | { problem: string };
    try {
      // It ended its process each time, or nobody could finish it.
      if (one.attempt > maxAttempts) throw new Error('it was tried too often');
      outcome = { file: await held(one, stopping) };
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof TurnOver) return leases.release(one, 0);
      logger.warn({ err: error, lease: one.lease, attempt: one.attempt }, `${name}: one failed`);
      const failure =
        error instanceof TookTooLong
          ? { isFinal: true, text: error.message, pause: 0 }
          : (judge?.(error, one) ?? failureOf(error, one.attempt));
      const { isFinal, text = otherwise, pause, isPause = false } = failure;
      if (!isFinal && (isPause || one.attempt < maxAttempts)) {
        await leases.release(one, pause, isPause);
        const pauseMs = pause * 1_000;
        if (pauseMs < interval) setTimeout(() => working.soon(), pauseMs).unref();
        return;
      }
      outcome = { problem: text };
    }
    await end(one, outcome);
  }

  const working = repeat(name, interval, async (stopping) => {
    while (!stopping.aborted) {
      const one = await leases.claim();
      if (one === undefined) return;
      await workOn(one, stopping);
    }
  });
  return working;
}
