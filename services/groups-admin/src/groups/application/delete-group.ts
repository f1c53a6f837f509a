import { type Database, requireUnmodified } from '@switchyard/database';
import { badRequest, forbidden, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import type { Viewer } from '../../directory';
import { namespaceChanges, recordDirectoryChange } from '../../directory';
import type { GroupRow, GroupStore } from '../storage/group.store';

/** Marks a group for deletion: everything below is hidden at once, and purged by the job once the delay has passed (D5, G-4.15-7). */
export const deleteGroup =
  ({ db, groups }: { db: Database; groups: GroupStore }) =>
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
    await db.transaction(async (tx) => {
      await groups.lockTrees(tx, [id]);
      await requireUnmodified(tx, 'namespaces', id, unmodifiedSince);
      const marked = await groups.mark(tx, id, true);
      if (confirmed !== undefined) await groups.hasten(tx, id);
      if (marked) await recordDirectoryChange(tx, await namespaceChanges(tx, [id]));
    });
  };

/** Takes the mark off a group that is not purged yet; for its Owners and administrators. */
export const restoreGroup =
  ({ db, groups }: { db: Database; groups: GroupStore }) =>
  async (actor: Viewer, idOrPath: string): Promise<GroupRow> => {
    const id = await groups.findMarked(idOrPath);
    if (id === 0) throw notFound('Group');
    const level = await groups.levelOf(db, id, actor.userId);
    if (!actor.admin && level < levels.owner) throw level === 0 ? notFound('Group') : forbidden();
    await db.transaction(async (tx) => {
      await groups.lockTrees(tx, [id]);
      // The purge may have been quicker: then there is nothing left to restore.
      if (!(await groups.mark(tx, id, false))) throw notFound('Group');
      await recordDirectoryChange(tx, await namespaceChanges(tx, [id]));
    });
    const group = await groups.find(id);
    if (group === undefined) throw notFound('Group');
    return group;
  };
