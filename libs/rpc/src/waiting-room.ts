import { unavailable } from '@switchyard/errors';

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

/** What a visitor gives back when the work is done. Calling it again does nothing. */
export type Leave = () => void;

/**
 * Bounds how much work of one kind runs at a time. What comes beyond waits its turn within a bound, and is refused before anything was done
 * for it. A queue that empties within a burst's patience was a burst, and all of it is served. One that stands for longer is more work than
 * can be done: then a long wait helps no one, so the patience is short, and what is served is served soon.
 */
export interface WaitingRoom {
  /**
   * Waits for a place.
   * @param signal ends the wait of a caller that has gone
   * @throws AppError unavailable, with the seconds after which to come again, for who has waited too long or found no seat
   */
  enter(signal?: AbortSignal): Promise<Leave>;
  /** Runs `work` in a place. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
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
export const overloaded = (): Error => unavailable('there is no room for more work', 1 + Math.floor(Math.random() * 5));

interface Visitor {
  readonly since: number;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/** Makes a room. */
export function waitingRoom(options: WaitingRoomOptions): WaitingRoom {
  const { places, seats, patienceMs = 8_000, standingPatienceMs = 1_000, now = () => performance.now() } = options;
  // Kept in the order of arrival; a visitor that goes is taken out of the middle.
  const queue = new Set<Visitor>();
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
    const [next] = queue;
    if (next === undefined || running >= places) return;
    remove(next);
    next.admit();
  }

  function take(): Leave {
    running += 1;
    let gone = false;
    return () => {
      if (gone) return;
      gone = true;
      running -= 1;
      admitNext();
    };
  }

  const wait = (signal: AbortSignal | undefined): Promise<Leave> =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => {
        remove(visitor);
        visitor.refuse(unavailable(signal?.reason));
      };
      const visitor: Visitor = {
        since: now(),
        admit: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve(take());
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

  async function enter(signal?: AbortSignal): Promise<Leave> {
    if (signal?.aborted) throw unavailable(signal.reason);
    if (running < places && queue.size === 0) return take();
    if (isFull()) throw overloaded();
    return wait(signal);
  }

  return {
    enter,
    async run(work, signal) {
      const leave = await enter(signal);
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
