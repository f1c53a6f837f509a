import { forbidden, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import type { Viewer } from '../../directory';
import { decideDelete, decideRestore } from '../domain/group-change';
import type { GroupRow } from '../domain/group-row';
import type { GroupStore } from './group.ports';

/**
 * Marks a group for deletion: everything below is hidden at once, and purged by the job once the delay has passed
 * (D5, G-4.15-7). Fails with `not_found`, `bad_request`, `precondition_failed`.
 */
export const deleteGroup =
  ({ groups }: { groups: GroupStore }) =>
  async (
    id: number,
    options: { confirmed?: { fullPath: string } | undefined; unmodifiedSince?: Date | undefined } = {},
  ): Promise<void> => {
    const { confirmed, unmodifiedSince } = options;
    const found = await groups.change({ id, unmodifiedSince }, (group) => decideDelete(group, confirmed));
    if (!found) throw notFound('Group');
  };

/**
 * Removes the mark of a group that is not purged yet; for its Owners and administrators.
 * Fails with `not_found`, `forbidden`.
 */
export const restoreGroup =
  ({ groups }: { groups: GroupStore }) =>
  async (actor: Viewer, idOrPath: string): Promise<GroupRow> => {
    const id = await groups.findMarked(idOrPath);
    if (id === 0) throw notFound('Group');
    const level = await groups.levelOf(id, actor.userId);
    if (!actor.admin && level < levels.owner) throw level === 0 ? notFound('Group') : forbidden();
    const found = await groups.change({ id }, decideRestore);
    const group = found ? await groups.find(id) : undefined;
    if (group === undefined) throw notFound('Group');
    return group;
  };
