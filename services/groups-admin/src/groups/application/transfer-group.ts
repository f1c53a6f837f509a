import { type Database, isUniqueViolation, type Tx } from '@switchyard/database';
import { badRequest, forbidden, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import type { Viewer } from '../../directory';
import { membershipChanges, namespaceChanges, recordDirectoryChange } from '../../directory';
import type { MemberStore } from '../../members';
import { noteAdded } from '../../members';
import { isWider, maxDepth } from '../../rules';
import { subgroupLevel } from '../domain/group';
import { type GroupRow, type GroupStore, settingsOf } from '../storage/group.store';

/** Moves a group with all below it under another group, or to the top level (G-4.15-8). Paths it had redirect (G-1-7). */
export const transferGroup =
  ({ db, groups, members }: { db: Database; groups: GroupStore; members: MemberStore }) =>
  async (actor: Viewer, id: number, parentId: number | undefined): Promise<GroupRow> => {
    /** Whoever moves a group away from all its Owners becomes its Owner. */
    const adopt = async (tx: Tx, groupId: number, { userId }: Viewer): Promise<number[]> => {
      const membership = { userId, level: levels.owner, expiresAt: undefined, createdBy: userId };
      const owner = await members.put(tx, { kind: 'group', id: groupId }, membership);
      await noteAdded(tx, [owner], userId);
      return [owner.id];
    };
    const work = async (): Promise<void> =>
      db.transaction(async (tx) => {
        await groups.lockMoves(tx);
        await groups.lockTrees(tx, parentId === undefined ? [id] : [id, parentId]);
        const group = await groups.findIn(tx, id);
        if (group === undefined) throw notFound('Group');
        const parent = parentId === undefined ? undefined : await groups.findVisible(tx, parentId, actor);
        if (parentId !== undefined && parent === undefined) throw notFound('Group');
        if ((group.parent_id ?? undefined) === parentId) {
          throw badRequest(
            parentId === undefined
              ? 'Group is already a root group.'
              : 'Group is already associated to the parent group.',
          );
        }
        if (parent === undefined) {
          if (!actor.admin && !(await groups.mayCreateTopLevel(tx, actor.userId))) throw forbidden();
        } else {
          if (parent.ancestry.includes(group.id)) throw badRequest('Cannot transfer group to one of its subgroup.');
          const depth = parent.ancestry.length;
          const level = await groups.levelOf(tx, parent.id, actor.userId);
          if (
            !actor.admin &&
            level < subgroupLevel({ visibility: parent.visibility, depth, settings: settingsOf(parent) })
          )
            throw forbidden();
          if (isWider(group.visibility, parent.visibility))
            throw badRequest("Group contains projects or sub-groups with higher visibility than the parent group's.");
          if (depth + (await groups.depthBelow(tx, group.id)) > maxDepth)
            throw badRequest(`Group would lie deeper than ${maxDepth} levels.`);
          if (await groups.projectHasPath(tx, parent.id, group.path))
            throw badRequest('The parent group already has a subgroup or a project with the same path.');
        }
        const changed = await groups.move(tx, group.id, { name: group.name, path: group.path, parentId });
        const owner = (await members.otherOwners(tx, group.id, 0)) === 0 ? await adopt(tx, group.id, actor) : [];
        await recordDirectoryChange(tx, [
          ...(await namespaceChanges(tx, changed)),
          ...(await membershipChanges(tx, owner)),
        ]);
      });
    await work().catch((error: unknown) => {
      if (isUniqueViolation(error, 'namespaces_full_path'))
        throw badRequest('The parent group already has a subgroup or a project with the same path.');
      throw error;
    });
    const group = await groups.find(id);
    if (group === undefined) throw notFound('Group');
    return group;
  };
