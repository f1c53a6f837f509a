import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Limit, Windows } from './rate-limits';

/** How long a right key is cached, milliseconds. */
const keyCacheMs = 3_600_000;
/** Most right keys that are kept, about 100 bytes each. */
const maxRightKeys = 100_000;

/** Most look-ups of one address, or for one account, that wait for each other. Further senders have to retry. */
const maxWaiting = 20;

/**
 * Most wrong keys, each counted in a window of its own. A key has at least 128 bits: the limits bound the cost of
 * guessing, not its success.
 */
export interface WrongKeyLimits {
  readonly address: Limit;
  /** For one account from one address; where keys name accounts. */
  readonly accountFromAddress?: Limit;
  /** For one account from everywhere; not applied to addresses from which it has presented a right key lately. */
  readonly account?: Limit;
}

/** A key as it was presented. */
export interface Presented {
  /** Network address of the sender, or of the proxy it shares with others: `addressKey`. */
  readonly ip: string;
  /** What makes keys different: the key and its purpose. */
  readonly name: string;
  /** Account that the key is said to be of. */
  readonly account?: string;
}

/** What is known of a request before its body is read. Senders of `guessing` and `busy` have to retry. */
export type Admission = 'right' | 'wrong' | 'guessing' | 'busy';

/**
 * Separates right keys from wrong ones and bounds the cost of guessing. A key that was right lately is known; every
 * other key is looked up. After too many wrong keys from one address, or for one account, further keys from there are
 * looked up one after another, and wrong ones are refused. A right key always gets through: another user behind the
 * same proxy may have one, and guessing must not lock the owner of an account out.
 */
export interface KeyGuard {
  /** @param isRight looks the key up; called for keys that were not right lately. Its failures are passed on. */
  admit(presented: Presented, isRight: () => Promise<boolean>): Promise<Admission>;
  /** Notes what a key turned out to be since it was admitted. */
  remember(presented: Presented, isRight: boolean): void;
  /** Seconds that a guessing sender has to wait. */
  readonly waitSeconds: number;
}

/**
 * Makes a guard.
 * @param scale factor on the limits; 0 turns it off
 * @param windows in which wrong keys are counted
 */
export function keyGuard(limits: WrongKeyLimits, scale: number, windows: Windows, now: () => number): KeyGuard {
  const right = new LRUCache<string, number>({ max: maxRightKeys });
  /** Addresses of accounts: from where they have presented right keys. */
  const known = new LRUCache<string, number>({ max: maxRightKeys });
  const isRecent = (at: number | undefined): boolean => (at ?? 0) >= now() - keyCacheMs;
  const queues = new Map<string, { last: Promise<unknown>; waiting: number }>();
  const digest = (name: string): string => createHash('sha256').update(name).digest('base64');

  /** What a wrong key counts for. */
  function* countersOf({ ip, account = '' }: Presented): Generator<readonly [key: string, limit: Limit]> {
    yield [`address:${ip}`, limits.address];
    if (account === '') return;
    const both = `both:${ip} ${account}`;
    if (limits.accountFromAddress) yield [both, limits.accountFromAddress];
    if (limits.account && !isRecent(known.get(both))) yield [`account:${account}`, limits.account];
  }

  /** The first counter that is full; undefined for one that may go on. */
  function fullCounter(presented: Presented): string | undefined {
    if (scale === 0) return undefined;
    for (const [key, { requests }] of countersOf(presented))
      if ((windows.find(key)?.count ?? 0) >= requests * scale) return key;
    return undefined;
  }

  /** Runs look-ups of keys that share a counter in turn; undefined where too many wait. */
  async function inTurn(counter: string, lookUp: () => Promise<boolean>): Promise<boolean | undefined> {
    const queue = queues.get(counter) ?? { last: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= maxWaiting) return undefined;
    queue.waiting += 1;
    queues.set(counter, queue);
    const mine = queue.last.then(lookUp);
    queue.last = mine.catch(() => undefined);
    return mine.finally(() => {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(counter);
    });
  }

  const guard: KeyGuard = {
    waitSeconds: limits.address.seconds,
    async admit(presented, isRight) {
      if (isRecent(right.get(digest(presented.name)))) return 'right';
      const full = fullCounter(presented);
      const found = await (full === undefined ? isRight() : inTurn(full, isRight));
      if (found === undefined) return 'busy';
      if (full !== undefined && !found) return 'guessing';
      guard.remember(presented, found);
      return found ? 'right' : 'wrong';
    },
    remember(presented, isRight) {
      const key = digest(presented.name);
      if (isRight) {
        right.set(key, now());
        if (presented.account) known.set(`both:${presented.ip} ${presented.account}`, now());
      } else {
        right.delete(key);
        for (const [counter, { seconds }] of countersOf(presented)) windows.count(counter, seconds);
      }
    },
  };
  return guard;
}
