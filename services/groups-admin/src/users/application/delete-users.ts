import { workOff } from '@switchyard/background';
import type { Tx } from '@switchyard/database';
import type { LockedUser } from '../domain/user-row';
import { publishDeletion, type UserStore } from './users';

/** A user who waits to be deleted with what they wrote. */
export interface QueuedUser {
  readonly id: number;
  /** Who asked for it. */
  readonly actorId: number;
}

/** Users who wait to be deleted with what they wrote. */
export interface HardDeletions extends Pick<UserStore, 'delete'> {
  /** Those with ids above `after`, ascending. */
  hardDeletions(after: number, limit: number): Promise<QueuedUser[]>;
  /** Marks up to `limit` groups that a user alone owns for their purge at once; how many it were. */
  markSoleOwnedGroups(userId: number, limit: number): Promise<number>;
}

/** Groups one transaction marks at the most, so that it holds the directory's sequence for milliseconds. */
const groupsAtOnce = 50;

/**
 * Deletes the users who are queued, each with the groups that they alone own. It goes on wherever an earlier run ended:
 * the queue keeps a user until their row is gone, and each step is a transaction that finds what is left to do. What
 * they wrote follows from the event, in the services that hold it.
 */
export const deleteQueuedUsers = (store: HardDeletions) => (stopping: AbortSignal) =>
  workOff<QueuedUser>(
    'users who are to be deleted with what they wrote',
    {
      next: (after, limit) => store.hardDeletions(after, limit),
      async work({ id, actorId }) {
        while ((await store.markSoleOwnedGroups(id, groupsAtOnce)) > 0);
        const publish = (user: LockedUser, tx: Tx, ghostId: number) =>
          publishDeletion(tx, { user, actorId, ghostId, hard: true });
        await store.delete(id, actorId, publish, { hard: true });
      },
    },
    stopping,
  );
