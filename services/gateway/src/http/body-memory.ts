import type { Response } from 'express';

/** The memory that one request holds. */
export interface BodyReservation {
  /**
   * Called with the number of bytes before they are kept. It waits while there are not enough free bytes.
   * @returns false when there is none
   */
  take(bytes: number): boolean | Promise<boolean>;
  /** Gives all of it back; no more can be taken. The end of the request does so too. */
  release(): void;
}

/** Memory for the bodies that are being received. No owner can take all of it. */
export interface BodyMemory {
  /**
   * Counts what a request holds until it has been answered or has gone.
   * @param owner whose share it is held of
   */
  holder(response: Response, owner: string): BodyReservation;
}

interface Waiting {
  readonly owner: string;
  readonly bytes: number;
  settle(admitted: boolean): void;
}

/**
 * Bounds memory to `size` bytes in all, `share` bytes for each owner.
 * @param waitMs milliseconds for which bytes wait for free memory before they are refused
 */
export function bodyMemory(size: number, share: number, waitMs = 0): BodyMemory {
  const shares = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let held = 0;

  const hasFreeBytes = (owner: string, bytes: number): boolean =>
    held + bytes <= size && (shares.get(owner) ?? 0) + bytes <= share;

  function add(owner: string, bytes: number): void {
    held += bytes;
    const its = (shares.get(owner) ?? 0) + bytes;
    if (its === 0) shares.delete(owner);
    else shares.set(owner, its);
  }

  return {
    holder(response, owner) {
      let own = 0;
      let isOpen = true;
      const mine = new Set<Waiting>();
      const keep = (bytes: number): void => {
        add(owner, bytes);
        own += bytes;
      };
      const release = (): void => {
        if (!isOpen) return;
        isOpen = false;
        for (const one of mine) one.settle(false);
        add(owner, -own);
        for (const one of waiting) if (hasFreeBytes(one.owner, one.bytes)) one.settle(true);
      };
      const wait = (bytes: number): Promise<boolean> =>
        new Promise((resolve) => {
          const one: Waiting = {
            owner,
            bytes,
            settle(admitted) {
              clearTimeout(timer);
              waiting.delete(one);
              mine.delete(one);
              if (admitted) keep(bytes);
              resolve(admitted);
            },
          };
          const timer = setTimeout(() => one.settle(false), waitMs);
          waiting.add(one);
          mine.add(one);
        });
      response.once('close', release);
      return {
        release,
        take(bytes) {
          if (!isOpen) return false;
          if (!hasFreeBytes(owner, bytes)) return waitMs > 0 && bytes <= Math.min(size, share) ? wait(bytes) : false;
          keep(bytes);
          return true;
        },
      };
    },
  };
}
