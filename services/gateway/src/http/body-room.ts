import type { Response } from 'express';

/** Room for the bodies that are under way, of which no one gets so much that others are left without. */
export interface BodyRoom {
  /**
   * Counts what a request holds until it has been answered or has gone.
   * @param owner whose share it is held of
   * @returns asked before bytes are kept, with their number; false when there is no room for them
   */
  holder(response: Response, owner: string): (bytes: number) => boolean;
}

/** Makes room for `size` bytes in all, `share` bytes for each owner. */
export function bodyRoom(size: number, share: number): BodyRoom {
  const shares = new Map<string, number>();
  let held = 0;

  function add(owner: string, bytes: number): void {
    held += bytes;
    const its = (shares.get(owner) ?? 0) + bytes;
    if (its === 0) shares.delete(owner);
    else shares.set(owner, its);
  }

  return {
    holder(response, owner) {
      let own = 0;
      response.once('close', () => {
        add(owner, -own);
        own = Number.NaN;
      });
      return (bytes) => {
        if (Number.isNaN(own) || held + bytes > size || (shares.get(owner) ?? 0) + bytes > share) return false;
        add(owner, bytes);
        own += bytes;
        return true;
      };
    },
  };
}
