import { isAppError } from '@switchyard/errors';
import { Throttled } from '../rate-limits';

/** Times of the checks in milliseconds; tests have their own. */
export interface CheckTimes {
  /** From one check that was passed to the next. */
  readonly everyMs: number;
  /** From a check that could not be made to the next try. */
  readonly retryMs: number;
  /** Checks fall on multiples of this, so that those of many readers are made in one call. */
  readonly stepMs: number;
  /** How long a passed check lets a reader go on. */
  readonly validMs: number;
}

/** A revoked token, or a lost membership, ends a stream within five seconds. */
const usual: CheckTimes = { everyMs: 3_000, retryMs: 300, stepMs: 200, validMs: 4_900 };

/** What is asked again for a reader. */
export interface AccessQuestion {
  /** Readers with the same name share the answer: it holds token, target and route. */
  readonly name: string;
  /** Settles when the reader may go on. @throws the refusal */
  ask(): Promise<void>;
}

interface Check {
  readonly question: AccessQuestion;
  readonly lost: Set<() => void>;
  confirmedAt: number;
  timer: NodeJS.Timeout | undefined;
}

/** Asks again and again whether those who read may still do so, one question for all readers of one token. */
export interface AccessChecks {
  /**
   * Watches a reader who may read now. `lost` is called, once, when they may no longer, or when it could not be found
   * out for `validMs`. Returns what ends that.
   */
  watch(question: AccessQuestion, lost: () => void): () => void;
  /** Questions that are asked. */
  running(): number;
}

/** Whether a failed check says nothing about the reader. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof Throttled || !isAppError(error) || isAppError(error, 'unavailable', 'internal');

/** Makes the checks. */
export function accessChecks(times: Partial<CheckTimes> = {}): AccessChecks {
  const { everyMs, retryMs, stepMs, validMs } = { ...usual, ...times };
  const checks = new Map<string, Check>();

  function end(check: Check): void {
    clearTimeout(check.timer);
    if (checks.get(check.question.name) === check) checks.delete(check.question.name);
    for (const lost of check.lost) lost();
  }

  function plan(check: Check, afterMs: number): void {
    if (check.lost.size === 0) return;
    const now = Date.now();
    const due = Math.floor((now + afterMs) / stepMs) * stepMs;
    check.timer = setTimeout(() => void look(check), Math.max(stepMs / 2, due - now)).unref();
  }

  async function look(check: Check): Promise<void> {
    const askedAt = Date.now();
    // An authority that does not answer must not keep a reader who may have lost the right.
    check.timer = setTimeout(() => end(check), Math.max(0, check.confirmedAt + validMs - askedAt)).unref();
    try {
      await check.question.ask();
      clearTimeout(check.timer);
      check.confirmedAt = askedAt;
      plan(check, everyMs);
    } catch (error) {
      if (!isUnanswered(error)) return end(check);
      if (Date.now() + retryMs < check.confirmedAt + validMs) {
        clearTimeout(check.timer);
        plan(check, retryMs);
      }
    }
  }

  return {
    watch(question, lost) {
      let check = checks.get(question.name);
      if (check === undefined) {
        check = { question, lost: new Set(), confirmedAt: Date.now(), timer: undefined };
        checks.set(question.name, check);
        check.lost.add(lost);
        // Spread: readers who came together, after a restart, are not asked about all at once.
        plan(check, everyMs * (0.4 + 0.6 * Math.random()));
      } else check.lost.add(lost);
      const joined = check;
      return () => {
        joined.lost.delete(lost);
        if (joined.lost.size > 0) return;
        clearTimeout(joined.timer);
        if (checks.get(question.name) === joined) checks.delete(question.name);
      };
    },
    running: () => checks.size,
  };
}
