import { levels } from '@switchyard/rights';
import { endByMembership } from '../../access-requests';
import type { DirectoryTx } from '../../directory';
import type { Parent } from '../../parents';
import { publishMemberAdded } from './member.events';
import { otherOwners, putMembership } from './membership.sql';

/** The Owners of groups and projects, for the areas of groups and projects. */
export interface Owners {
  /** Makes a user an Owner and publishes it, in the transaction of the change that requires it. */
  add(tx: DirectoryTx, source: Parent, userId: number, actorId: number): Promise<void>;
  /** Whether a group has an active Owner, by a membership of its own or of a group above it. */
  exist(tx: DirectoryTx, groupId: number): Promise<boolean>;
}

/** `Owners` over the memberships in the database. */
export const owners: Owners = {
  async add(tx, source, userId, actorId) {
    const owner = { userId, level: levels.owner, expiresAt: undefined, createdBy: actorId };
    const added = await putMembership(tx, source, owner);
    await endByMembership(tx, source, owner, actorId);
    await publishMemberAdded(tx, [added], actorId);
  },
  exist: async (tx, groupId) => (await otherOwners(tx, groupId, 0)) > 0,
};
