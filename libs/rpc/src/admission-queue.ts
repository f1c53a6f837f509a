import { retrySeconds, unavailable } from '@switchyard/errors';

/** Bounds of one kind of work. Times in milliseconds. */
export interface AdmissionQueueOptions {
  /** Most work that runs at a time, 1 or more. */
  readonly slots: number;
  /** Most slots that one owner has at a time, 1 or more; default: all of them. */
  readonly slotsOfOwner?: number | undefined;
  /** Most tickets that wait for a slot; the next one is refused at once. */
  readonly maxWaiting: number;
  /** How long a ticket waits during a burst; default 8,000. */
  readonly timeoutMs?: number;
  /** How long a ticket waits once the queue has lasted longer than a burst; default 1,000. */
  readonly overloadTimeoutMs?: number;
  /** The clock, in milliseconds; for tests. */
  readonly now?: () => number;
}

/** A request for a slot. */
export interface Ticket {
  /** For whom the work is done; work without an owner has no limit on its waiting tickets. */
  readonly owner?: string;
  /** Ends the wait of a caller that has disconnected. */
  readonly signal?: AbortSignal;
}

/** Frees the slot. Further calls do nothing. */
export type Release = () => void;

/**
 * Bounds how much work of one kind runs at a time. Further work waits, in a bounded queue, and is refused before any of
 * it was done. A queue that empties within `timeoutMs` was a burst, and all of it is admitted. A queue that lasts
 * longer is overload: a long wait would help no one, so the timeout becomes short, and what is admitted is admitted
 * soon.
 */
export interface AdmissionQueue {
  /**
   * Waits for a slot. The next free slot goes to the first ticket of the owner with the fewest slots, so that many
   * requests of one owner do not delay others. One owner may have half of the waiting tickets.
   * @throws AppError unavailable with `Retry-After`, after the timeout or when too many wait
   */
  enter(ticket?: Ticket): Promise<Release>;
  /** Runs `work` in a slot. */
  run<T>(work: () => Promise<T>, ticket?: Ticket): Promise<T>;
  /** Whether the next ticket would be refused at once. */
  isFull(): boolean;
  /** Slots in use. */
  running(): number;
  /** Tickets that wait. */
  waiting(): number;
}

/** Milliseconds between two checks for timed-out tickets while no slot is released. */
const timeoutCheckMs = 100;

/**
 * The refusal of work before any of it was done. The seconds are spread, so that refused callers do not return
 * together.
 */
export const overloaded = (): Error => unavailable('there is no slot for more work', retrySeconds());

interface WaitingTicket {
  readonly owner: string | undefined;
  readonly since: number;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/** Creates a queue. */
export function admissionQueue(options: AdmissionQueueOptions): AdmissionQueue {
  const { slots, maxWaiting, timeoutMs = 8_000, overloadTimeoutMs = 1_000, now = () => performance.now() } = options;
  const slotsOfOwner = options.slotsOfOwner ?? slots;
  // In the order of arrival; an aborted ticket is deleted from the middle.
  const queue = new Set<WaitingTicket>();
  /** Slots by owner; owners without one are not in it. */
  const slotsOf = new Map<string | undefined, number>();
  const maxWaitingOfOwner = Math.max(1, Math.floor(maxWaiting / 2));
  let running = 0;
  let queuedSince = 0;
  let timeoutCheck: NodeJS.Timeout | undefined;

  const currentTimeout = (): number => (now() - queuedSince > timeoutMs ? overloadTimeoutMs : timeoutMs);

  function remove(ticket: WaitingTicket): void {
    queue.delete(ticket);
    if (queue.size > 0) return;
    clearInterval(timeoutCheck);
    timeoutCheck = undefined;
  }

  function refuseLate(): void {
    const since = now() - currentTimeout();
    for (const ticket of queue) {
      if (ticket.since >= since) return;
      remove(ticket);
      ticket.refuse(overloaded());
    }
  }

  function admitNext(): void {
    refuseLate();
    if (running >= slots) return;
    let next: WaitingTicket | undefined;
    let fewest = slotsOfOwner;
    for (const ticket of queue) {
      const used = slotsOf.get(ticket.owner) ?? 0;
      if (used >= fewest) continue;
      next = ticket;
      fewest = used;
    }
    if (next === undefined) return;
    remove(next);
    next.admit();
  }

  function count(owner: string | undefined, more: 1 | -1): void {
    const used = (slotsOf.get(owner) ?? 0) + more;
    running += more;
    if (used === 0) slotsOf.delete(owner);
    else slotsOf.set(owner, used);
  }

  function takeSlot(owner: string | undefined): Release {
    count(owner, 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      count(owner, -1);
      admitNext();
    };
  }

  const wait = ({ owner, signal }: Ticket): Promise<Release> =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => {
        remove(ticket);
        ticket.refuse(unavailable(signal?.reason));
      };
      const ticket: WaitingTicket = {
        owner,
        since: now(),
        admit: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve(takeSlot(owner));
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
      };
      if (queue.size === 0) {
        queuedSince = ticket.since;
        timeoutCheck = setInterval(refuseLate, timeoutCheckMs);
      }
      queue.add(ticket);
      signal?.addEventListener('abort', onAbort, { once: true });
    });

  // An owner who waits while there are slots has as many as one owner may: an owner with fewer need not wait.
  const hasSlotFor = (owner: string | undefined): boolean =>
    running < slots && (slotsOf.get(owner) ?? 0) < slotsOfOwner;

  const isFull = (): boolean => running >= slots && queue.size >= maxWaiting;

  /** Whether an owner has as many waiting tickets as it may. Counted only when enough tickets wait at all. */
  const hasMaxWaiting = (owner: string | undefined): boolean => {
    if (owner === undefined || queue.size < maxWaitingOfOwner) return false;
    let own = 0;
    for (const ticket of queue) if (ticket.owner === owner) own += 1;
    return own >= maxWaitingOfOwner;
  };

  async function enter(ticket: Ticket = {}): Promise<Release> {
    const { owner, signal } = ticket;
    if (signal?.aborted) throw unavailable(signal.reason);
    if (hasSlotFor(owner)) return takeSlot(owner);
    if (queue.size >= maxWaiting || hasMaxWaiting(owner)) throw overloaded();
    return wait(ticket);
  }

  return {
    enter,
    async run(work, ticket) {
      const release = await enter(ticket);
      try {
        return await work();
      } finally {
        release();
      }
    },
    isFull,
    running: () => running,
    waiting: () => queue.size,
  };
}
