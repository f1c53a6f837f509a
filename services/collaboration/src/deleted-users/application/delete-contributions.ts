import { type WorkedOff, workOff } from '@switchyard/background';

/** One kind of what users write. */
export interface Contributions {
  /** What logs call it. */
  readonly name: string;
  /** What a user wrote. */
  of(userId: number): WorkedOff<{ readonly id: number }>;
}

/** What deleting works with. */
export interface ContributionDeletion {
  /** Users with ids above `after`, ascending. */
  next(after: number, limit: number): Promise<{ id: number }[]>;
  /** Nothing of the user is left. */
  settle(userId: number): Promise<void>;
  /** Removes up to `limit` events that a user caused; returns how many. */
  removeEvents(userId: number, limit: number): Promise<number>;
  /** In the order in which they are deleted: what holds others first. */
  readonly kinds: readonly Contributions[];
}

/** Events one statement removes; keeps its locks short. */
const eventsAtOnce = 1_000;

/**
 * Deletes what the queued users wrote, kind by kind, each row as its own use case does. After a crash it goes on with
 * what is left. A user stays in the queue until nothing failed.
 */
export const deleteContributions =
  ({ next, settle, removeEvents, kinds }: ContributionDeletion) =>
  async (stopping: AbortSignal): Promise<void> => {
    async function work({ id }: { readonly id: number }): Promise<void> {
      let failed = 0;
      for (const { name, of } of kinds) failed += await workOff(`${name} of a deleted user`, of(id), stopping);
      while (!stopping.aborted && (await removeEvents(id, eventsAtOnce)) > 0);
      if (failed === 0 && !stopping.aborted) await settle(id);
    }
    await workOff('what deleted users wrote', { next, work }, stopping);
  };
