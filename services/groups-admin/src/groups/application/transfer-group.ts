import { isUniqueViolation } from '@switchyard/database';
import { badRequest, forbidden, notFound } from '@switchyard/errors';
import type { Transact, Viewer } from '../../directory';
import type { Owners } from '../../members';
import { isWider, maxDepth } from '../../rules';
import { subgroupLevel } from '../domain/group';
import { type GroupRow, settingsOf } from '../domain/group-row';
import type { GroupStore } from './ports';

/** Moves a group with all below it under another group, or to the top level (G-4.15-8). Paths it had redirect (G-1-7). */
export const transferGroup =
  ({ transaction, groups, owners }: { transaction: Transact; groups: GroupStore; owners: Owners }) =>
  async (actor: Viewer, id: number, parentId: number | undefined): Promise<GroupRow> => {
    const work = async (): Promise<void> =>
      transaction(async (tx) => {
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
          const level = await groups.levelOf(parent.id, actor.userId, tx);
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
        await groups.move(tx, group.id, { name: group.name, path: group.path, parentId });
        // A user who moves a group away from all its Owners becomes its Owner.
        if (!(await owners.exist(tx, group.id)))
          await owners.add(tx, { kind: 'group', id: group.id }, actor.userId, actor.userId);
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
