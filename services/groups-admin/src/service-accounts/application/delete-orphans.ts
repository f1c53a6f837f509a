import { logger } from '@switchyard/telemetry';
import type { DeleteUser } from '../../users';

/** Accounts that are read at once. */
const batch = 50;

/** Deletes the accounts of groups that were purged: no one can manage them. The ghost replaces them. */
export const deleteOrphans =
  ({
    orphans,
    deleteUser,
  }: {
    /** Ids above `after` of up to `limit` accounts whose group is gone, ascending. */
    orphans(after: number, limit: number): Promise<number[]>;
    deleteUser: DeleteUser;
  }) =>
  async (stopping?: AbortSignal): Promise<void> => {
    let last: number | undefined = 0;
    // From account to account, so that those which cannot be deleted hold up no others.
    while (last !== undefined) {
      const userIds: number[] = await orphans(last, batch);
      for (const userId of userIds) {
        if (stopping?.aborted === true) return;
        try {
          await deleteUser(userId, { userId: 0 });
        } catch (error) {
          logger.warn({ err: error, user: userId }, 'an account of a purged group could not be deleted');
        }
      }
      last = userIds.length < batch ? undefined : userIds.at(-1);
    }
  };
