import { workOff } from '@switchyard/background';
import type { DeleteUser } from '../../users';

/** What the deletion of accounts without a group works with. */
export interface Orphans {
  /** Accounts with ids above `after` whose group is gone, ascending, at most `limit`. */
  orphans(after: number, limit: number): Promise<{ readonly id: number }[]>;
  readonly deleteUser: DeleteUser;
}

/** Deletes the accounts of groups that were purged: no one can manage them. The ghost replaces them. */
export const deleteOrphans =
  ({ orphans, deleteUser }: Orphans) =>
  (stopping: AbortSignal) =>
    workOff(
      'service accounts of purged groups',
      { next: orphans, work: ({ id }) => deleteUser(id, { userId: 0 }) },
      stopping,
    );
