import { notFound } from '@switchyard/errors';
import type { CurrentSettings } from '../../settings';
import { decideDelete, decideRestore } from '../domain/group-change';
import type { GroupRow } from '../domain/group-row';
import type { GroupStore } from './group.ports';

/**
 * Marks a group for deletion: everything below is hidden at once, and purged by the job once the delay has passed
 * (D5, G-4.15-7). Fails with `not_found`, `bad_request`, `precondition_failed`.
 */
export const deleteGroup =
  ({ groups, tier, settings }: { groups: GroupStore; tier: string; settings: CurrentSettings }) =>
  async (
    id: number,
    options: { confirmed?: { fullPath: string } | undefined; unmodifiedSince?: Date | undefined } = {},
  ): Promise<void> => {
    const { confirmed, unmodifiedSince } = options;
    const { deletion_adjourned_period: delayDays } = await settings();
    const found = await groups.change({ id, unmodifiedSince }, (group) =>
      decideDelete(group, confirmed, { tier, delayDays }),
    );
    if (!found) throw notFound('Group');
  };

/**
 * Removes the mark of a group whose purge has not begun. Fails with `not_found`, `bad_request` for one that is not
 * marked.
 */
export const restoreGroup =
  ({ groups }: { groups: GroupStore }) =>
  async (id: number): Promise<GroupRow> => {
    const found = await groups.change({ id }, decideRestore);
    const group = found ? await groups.find(id) : undefined;
    if (group === undefined) throw notFound('Group');
    return group;
  };
