import type { Response } from 'express';

/** What one request holds of a room. */
export interface Hold {
  /**
   * Asked before bytes are kept, with their number. Where there is no room for them it waits for some.
   * @returns false when there is none
   */
  take(bytes: number): boolean | Promise<boolean>;
  /** Gives all of it back; no more can be taken. The end of the request does so too. */
  release(): void;
}

/** Room for the bodies that are under way, of which no one gets so much that others are left without. */
export interface BodyRoom {
  /**
   * Counts what a request holds until it has been answered or has gone.
   * @param owner whose share it is held of
   */
  holder(response: Response, owner: string): Hold;
}

interface Waiting {
  readonly owner: string;
  readonly bytes: number;
  settle(admitted: boolean): void;
}

/**
 * Makes room for `size` bytes in all, `share` bytes for each owner.
 * @param waitMs milliseconds for which bytes wait for room before they are refused
 */
export function bodyRoom(size: number, share: number, waitMs = 0): BodyRoom {
  const shares = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let held = 0;

  const hasRoom = (owner: string, bytes: number): boolean =>
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
        for (const one of waiting) if (hasRoom(one.owner, one.bytes)) one.settle(true);
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
          if (!hasRoom(owner, bytes)) return waitMs > 0 && bytes <= Math.min(size, share) ? wait(bytes) : false;
          keep(bytes);
          return true;
        },
      };
    },
  };
}
