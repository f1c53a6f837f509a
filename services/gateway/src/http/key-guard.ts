import { createHash } from 'node:crypto';
import { countingWindows, type Limit } from './rate-limits';

/** Wrong keys, unknown endpoints and unknown projects an address may present. A key is 128 bits: this bounds what guessing costs, not what it yields. */
const wrongKeys: Limit = { requests: 100, seconds: 60 };

/** How long a key that was right needs no look at it, milliseconds. */
const rightForMs = 3_600_000;
/** Right keys that are known at the most, some 100 bytes each. */
const mostRight = 100_000;

/** Looks at keys of one address that may wait for each other; beyond, its senders come again in a moment. */
const mostWaiting = 20;

/** A key as it was presented. */
export interface Presented {
  /** Network address of the sender, or of the proxy it shares with others. */
  readonly ip: string;
  /** What tells keys apart: the key, and what it is for. */
  readonly name: string;
}

/** What is known of a request before its body is read. `guessing` and `busy` are to come again. */
export type Admission = 'right' | 'wrong' | 'guessing' | 'busy';

/**
 * Tells right keys from wrong ones, and bounds what guessing them costs: a key that has been right lately is known, every other is looked
 * up. Where an address has presented too many wrong ones, its keys are looked at one after another, and those that are wrong get no
 * further: others behind the same proxy may be right, and a right key always gets through.
 */
export interface KeyGuard {
  /** @param isRight looks the key up; asked for keys that have not been right lately. Its failures are passed on. */
  admit(presented: Presented, isRight: () => Promise<boolean>): Promise<Admission>;
  /** Notes what a key turned out to be since it was admitted. */
  remember(presented: Presented, isRight: boolean): void;
  /** Seconds a guesser is told to wait. */
  readonly waitSeconds: number;
}

/** Makes a guard. `scale` is a factor on the limit; 0 turns it off. */
export function keyGuard(scale: number, now: () => number): KeyGuard {
  const windows = countingWindows(now);
  const most = wrongKeys.requests * scale;
  const right = new Map<string, number>();
  const queues = new Map<string, { last: Promise<unknown>; waiting: number }>();
  const digest = (name: string): string => createHash('sha256').update(name).digest('base64');

  /** Runs looks at keys of an address in turn; undefined where too many wait. */
  async function inTurn(ip: string, look: () => Promise<boolean>): Promise<boolean | undefined> {
    const queue = queues.get(ip) ?? { last: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= mostWaiting) return undefined;
    queue.waiting += 1;
    queues.set(ip, queue);
    const mine = queue.last.then(look);
    queue.last = mine.catch(() => undefined);
    return mine.finally(() => {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(ip);
    });
  }

  const guard: KeyGuard = {
    waitSeconds: wrongKeys.seconds,
    async admit(presented, isRight) {
      const { ip, name } = presented;
      if ((right.get(digest(name)) ?? 0) >= now() - rightForMs) return 'right';
      const isGuesser = scale > 0 && (windows.look(ip)?.count ?? 0) >= most;
      const found = await (isGuesser ? inTurn(ip, isRight) : isRight());
      if (found === undefined) return 'busy';
      if (isGuesser && !found) return 'guessing';
      guard.remember(presented, found);
      return found ? 'right' : 'wrong';
    },
    remember({ ip, name }, isRight) {
      if (!isRight) windows.count(ip, wrongKeys.seconds);
      const key = digest(name);
      right.delete(key);
      if (!isRight) return;
      right.set(key, now());
      if (right.size > mostRight) right.delete(right.keys().next().value as string);
    },
  };
  return guard;
}
