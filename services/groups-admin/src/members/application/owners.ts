import { levels } from '@switchyard/rights';
import type { DirectoryTx } from '../../directory';
import type { Parent } from '../../parents';
import type { MemberStore } from './manage-members';
import { noteAdded } from './member-events';

/** The Owners of groups and projects, as far as the areas of groups and projects decide on them. */
export interface Owners {
  /** Makes a user an Owner, in the transaction of the change that asks for it. */
  add(tx: DirectoryTx, source: Parent, userId: number, actorId: number): Promise<void>;
  /** Whether a group has an Owner, by a membership of its own or of a group above it. */
  exist(tx: DirectoryTx, groupId: number): Promise<boolean>;
}

/** Builds `Owners`. */
export const owners = (members: Pick<MemberStore, 'put' | 'otherOwners'>): Owners => ({
  async add(tx, source, userId, actorId) {
    const owner = { userId, level: levels.owner, expiresAt: undefined, createdBy: actorId };
    await noteAdded(tx, [await members.put(tx, source, owner)], actorId);
  },
  exist: async (tx, groupId) => (await members.otherOwners(tx, groupId, 0)) > 0,
});
