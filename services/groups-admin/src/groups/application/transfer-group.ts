import { notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import { decideTransfer } from '../domain/group-change';
import type { GroupRow } from '../domain/group-row';
import type { GroupStore } from './group.ports';

/**
 * Moves a group with all below it under another group, or to the top level (G-4.15-8). Paths it had redirect (G-1-7).
 * Fails with `not_found`, `forbidden`, `bad_request`.
 */
export const transferGroup =
  ({ groups }: { groups: GroupStore }) =>
  async (actor: Viewer, id: number, parentId: number | undefined): Promise<GroupRow> => {
    const found = await groups.transfer({ actor, id, parentId }, (group, facts) =>
      decideTransfer(actor, group, parentId, facts),
    );
    const group = found ? await groups.find(id) : undefined;
    if (group === undefined) throw notFound('Group');
    return group;
  };
