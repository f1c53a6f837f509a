import { repeat } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { type Contributions, deleteContributions } from './application/delete-contributions';
import { deletedUsers } from './storage/deleted-user.store';
import { deletedUserSubscription } from './transport/deleted-user.subscription';

/** Consumer group of deleted users. */
const group = 'collaboration.deleted-users';

/** Milliseconds until what failed is tried again; what was just queued is seen at once. */
const interval = 30_000;

/** Builds what deletes the contributions of users who were deleted with them (G §10 Users, hard_delete). */
export function composeDeletedUsers(
  { db, observe }: Pick<Edges, 'db' | 'observe'>,
  kinds: readonly Contributions[],
): Area {
  const { deleteAll } = observe('deleted_users', {
    deleteAll: deleteContributions({
      next: (after, limit) => deletedUsers.next(db, after, limit),
      settle: (userId) => deletedUsers.settle(db, userId),
      removeEvents: (userId, limit) => deletedUsers.removeEvents(db, userId, limit),
      kinds,
    }),
  });
  return {
    consumers: [{ group, subscriptions: [deletedUserSubscription(deletedUsers.queue)] }],
    start: () => {
      const deleting = repeat('what deleted users wrote', interval, deleteAll);
      const unlisten = deletedUsers.onQueued(db, () => deleting.soon());
      return [{ close: async () => unlisten() }, deleting];
    },
  };
}
