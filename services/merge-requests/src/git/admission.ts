import { type AppError, tooManyRequests, unavailable } from '@switchyard/errors';

/** The caller that needs a place, and the repository. */
export interface GitCaller {
  /** Of the same caller, the same text. */
  readonly caller: string;
  /** True for one user: what they wait for is their own share (429). Otherwise 503. */
  readonly single: boolean;
  readonly repository: string;
}

/** Bounds of one class of work. */
export interface AdmissionLimits {
  readonly places: number;
  readonly placesPerRepository: number;
  readonly placesPerCaller: number;
  readonly waiting: number;
  readonly waitMs: number;
}

/** Why a place is refused: the caller's own share is used up, or everybody's. */
export type Refusal = 'caller' | 'instance';

interface Waiter {
  readonly caller: GitCaller;
  readonly admit: () => void;
}

/** Seconds after which a caller that was refused should try again. */
const retryAfter = 2;

/**
 * Places for work of callers, in the order of asking; one that its own share holds up does not hold up those behind it.
 * A place is held from the first git process of a call to the end of the call: a call that was let in is never refused
 * half done.
 */
export class Admission {
  private readonly callers = new Map<string, number>();
  private readonly repositories = new Map<string, number>();
  private queue: Waiter[] = [];
  /** Places taken. */
  running = 0;
  readonly refused: Record<Refusal, number> = { caller: 0, instance: 0 };

  constructor(private readonly limits: () => AdmissionLimits) {}

  /** Callers in the queue. */
  get waiting(): number {
    return this.queue.length;
  }

  /**
   * Takes a place; what it returns gives it back.
   * @throws AppError unavailable, or rate_limited for a user whose own share is what they wait for; the reason of
   * `signal`
   */
  async enter(caller: GitCaller, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    // None of those who wait fits, or it would not wait.
    if (this.fits(caller)) return this.take(caller);
    const { waiting, waitMs, placesPerCaller } = this.limits();
    const ofCaller = this.queue.filter((one) => one.caller.caller === caller.caller).length;
    // No caller may fill the queue alone.
    if (this.queue.length >= waiting || ofCaller >= Math.max(placesPerCaller, waiting / 2)) throw this.refuse(caller);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.queue = this.queue.filter((one) => one !== waiter);
      };
      const onAbort = (): void => {
        leave();
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        leave();
        reject(this.refuse(caller));
      }, waitMs);
      const waiter: Waiter = {
        caller,
        admit: () => {
          leave();
          resolve(this.take(caller));
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.queue.push(waiter);
    });
  }

  private shareOf({ single }: GitCaller): number {
    const { placesPerCaller, placesPerRepository } = this.limits();
    return single ? placesPerCaller : placesPerRepository;
  }

  private hasShare(caller: GitCaller): boolean {
    return (this.callers.get(caller.caller) ?? 0) < this.shareOf(caller);
  }

  private fits(caller: GitCaller): boolean {
    const { places, placesPerRepository } = this.limits();
    const here = this.repositories.get(caller.repository) ?? 0;
    return this.running < places && here < placesPerRepository && this.hasShare(caller);
  }

  private refuse(caller: GitCaller): AppError {
    const reason = caller.single && !this.hasShare(caller) ? 'caller' : 'instance';
    this.refused[reason] += 1;
    return reason === 'caller'
      ? tooManyRequests(retryAfter)
      : unavailable(new Error('no place for a git process'), retryAfter);
  }

  private take(caller: GitCaller): () => void {
    this.running += 1;
    add(this.callers, caller.caller, 1);
    add(this.repositories, caller.repository, 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.running -= 1;
      add(this.callers, caller.caller, -1);
      add(this.repositories, caller.repository, -1);
      // Several may fit now: one whose own share was used up, and one whom the repository held up.
      for (;;) {
        const next = this.queue.find((one) => this.fits(one.caller));
        if (next === undefined) return;
        next.admit();
      }
    };
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}

/** So many at the same time, in the order of asking; the rest waits. */
export class Slots {
  private readonly queue: (() => void)[] = [];
  private free: number;

  constructor(count: number) {
    this.free = count;
  }

  /** Waits for a slot; what it returns gives it back. */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.free > 0) this.free -= 1;
    else
      await new Promise<void>((resolve, reject) => {
        const go = (): void => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        };
        const onAbort = (): void => {
          this.queue.splice(this.queue.indexOf(go), 1);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        this.queue.push(go);
      });
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.queue.shift();
      if (next === undefined) this.free += 1;
      else next();
    };
  }
}
