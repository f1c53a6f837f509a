import { retrySeconds, unavailable } from '@switchyard/errors';

/** Bounds of one kind of work. Times in milliseconds. */
export interface WaitingRoomOptions {
  /** How many do their work at a time, 1 or more. */
  readonly places: number;
  /** How many wait for a place at most; the next one is refused at once. */
  readonly seats: number;
  /** How long one waits during a burst; default 8,000. */
  readonly patienceMs?: number;
  /** How long one waits once there has been a queue for longer than a burst; default 1,000. */
  readonly standingPatienceMs?: number;
  /** The clock, in milliseconds; for tests. */
  readonly now?: () => number;
}

/** Who wants a place. */
export interface Visit {
  /** For whom the work is done; work of no owner has no share of the seats. */
  readonly owner?: string;
  /** Ends the wait of a caller that has gone. */
  readonly signal?: AbortSignal;
}

/** What a visitor gives back when the work is done. Calling it again does nothing. */
export type Leave = () => void;

/**
 * Bounds how much work of one kind runs at a time. What comes beyond waits its turn within a bound, and is refused before anything was done
 * for it. A queue that empties within a burst's patience was a burst, and all of it is served. One that stands for longer is more work than
 * can be done: then a long wait helps no one, so the patience is short, and what is served is served soon.
 */
export interface WaitingRoom {
  /**
   * Waits for a place. The next one to get it is the first of those whose owner has the fewest, so that who asks for much waits behind who
   * asks for little; and one owner may take half of the seats at most.
   * @throws AppError unavailable, with the seconds after which to come again, for who has waited too long or found no seat
   */
  enter(visit?: Visit): Promise<Leave>;
  /** Runs `work` in a place. */
  run<T>(work: () => Promise<T>, visit?: Visit): Promise<T>;
  /** Whether the next one would be refused at once. */
  isFull(): boolean;
  /** How many have a place. */
  running(): number;
  /** How many wait for one. */
  waiting(): number;
}

/** Milliseconds between two looks for those who have waited too long while nobody leaves. */
const lookEveryMs = 100;

/** The refusal of work that nothing was done for. Seconds are spread, so that those refused together do not return together. */
export const overloaded = (): Error => unavailable('there is no room for more work', retrySeconds());

interface Visitor {
  readonly owner: string | undefined;
  readonly since: number;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/** Makes a room. */
export function waitingRoom(options: WaitingRoomOptions): WaitingRoom {
  const { places, seats, patienceMs = 8_000, standingPatienceMs = 1_000, now = () => performance.now() } = options;
  // Kept in the order of arrival; a visitor that goes is taken out of the middle.
  const queue = new Set<Visitor>();
  /** Places by owner; those who have none are not in it. */
  const placesOf = new Map<string | undefined, number>();
  const seatsOfOne = Math.max(1, Math.floor(seats / 2));
  let running = 0;
  let queuedSince = 0;
  let looking: NodeJS.Timeout | undefined;

  const patience = (): number => (now() - queuedSince > patienceMs ? standingPatienceMs : patienceMs);

  function remove(visitor: Visitor): void {
    queue.delete(visitor);
    if (queue.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  function refuseLate(): void {
    const since = now() - patience();
    for (const visitor of queue) {
      if (visitor.since >= since) return;
      remove(visitor);
      visitor.refuse(overloaded());
    }
  }

  function admitNext(): void {
    refuseLate();
    if (running >= places) return;
    let next: Visitor | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const visitor of queue) {
      const its = placesOf.get(visitor.owner) ?? 0;
      if (its >= fewest) continue;
      next = visitor;
      fewest = its;
    }
    if (next === undefined) return;
    remove(next);
    next.admit();
  }

  function count(owner: string | undefined, more: 1 | -1): void {
    const its = (placesOf.get(owner) ?? 0) + more;
    running += more;
    if (its === 0) placesOf.delete(owner);
    else placesOf.set(owner, its);
  }

  function take(owner: string | undefined): Leave {
    count(owner, 1);
    let gone = false;
    return () => {
      if (gone) return;
      gone = true;
      count(owner, -1);
      admitNext();
    };
  }

  const wait = ({ owner, signal }: Visit): Promise<Leave> =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => {
        remove(visitor);
        visitor.refuse(unavailable(signal?.reason));
      };
      const visitor: Visitor = {
        owner,
        since: now(),
        admit: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve(take(owner));
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
      };
      if (queue.size === 0) {
        queuedSince = visitor.since;
        looking = setInterval(refuseLate, lookEveryMs);
      }
      queue.add(visitor);
      signal?.addEventListener('abort', onAbort, { once: true });
    });

  const isFull = (): boolean => running >= places && queue.size >= seats;

  /** Whether an owner has the seats it may take. Looked at only where so many wait that one could have them. */
  const hasItsSeats = (owner: string | undefined): boolean => {
    if (owner === undefined || queue.size < seatsOfOne) return false;
    let its = 0;
    for (const visitor of queue) if (visitor.owner === owner) its += 1;
    return its >= seatsOfOne;
  };

  async function enter(visit: Visit = {}): Promise<Leave> {
    const { owner, signal } = visit;
    if (signal?.aborted) throw unavailable(signal.reason);
    if (running < places && queue.size === 0) return take(owner);
    if (isFull() || hasItsSeats(owner)) throw overloaded();
    return wait(visit);
  }

  return {
    enter,
    async run(work, visit) {
      const leave = await enter(visit);
      try {
        return await work();
      } finally {
        leave();
      }
    },
    isFull,
    running: () => running,
    waiting: () => queue.size,
  };
}
