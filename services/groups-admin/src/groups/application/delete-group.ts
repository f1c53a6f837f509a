import { requireUnmodified } from '@switchyard/database';
import { badRequest, forbidden, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import type { Transact, Viewer } from '../../directory';
import type { GroupRow } from '../domain/group-row';
import type { GroupStore } from './ports';

/** Marks a group for deletion: everything below is hidden at once, and purged by the job once the delay has passed (D5, G-4.15-7). */
export const deleteGroup =
  ({ transaction, groups }: { transaction: Transact; groups: GroupStore }) =>
  async (
    id: number,
    {
      confirmed,
      unmodifiedSince,
    }: { confirmed?: { fullPath: string } | undefined; unmodifiedSince?: Date | undefined } = {},
  ): Promise<void> => {
    const group = await groups.find(id);
    if (group === undefined) throw notFound('Group');
    if (confirmed !== undefined) {
      if (group.parent_id === null) throw badRequest('`permanently_remove` option is only available for subgroups.');
      if (confirmed.fullPath !== group.full_path)
        throw badRequest('`full_path` is incorrect. You must enter the complete path for the subgroup.');
    }
    await transaction(async (tx) => {
      await groups.lockTrees(tx, [id]);
      await requireUnmodified(tx, 'namespaces', id, unmodifiedSince);
      await groups.mark(tx, id, true);
      if (confirmed !== undefined) await groups.hasten(tx, id);
    });
  };

/** Takes the mark off a group that is not purged yet; for its Owners and administrators. */
export const restoreGroup =
  ({ transaction, groups }: { transaction: Transact; groups: GroupStore }) =>
  async (actor: Viewer, idOrPath: string): Promise<GroupRow> => {
    const id = await groups.findMarked(idOrPath);
    if (id === 0) throw notFound('Group');
    const level = await groups.levelOf(id, actor.userId);
    if (!actor.admin && level < levels.owner) throw level === 0 ? notFound('Group') : forbidden();
    await transaction(async (tx) => {
      await groups.lockTrees(tx, [id]);
      // The purge may have been quicker: then there is nothing left to restore.
      if (!(await groups.mark(tx, id, false))) throw notFound('Group');
    });
    const group = await groups.find(id);
    if (group === undefined) throw notFound('Group');
    return group;
  };
