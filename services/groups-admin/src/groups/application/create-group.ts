import { notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import { type CreateGroup, decideCreate } from '../domain/group-change';
import type { GroupRow } from '../domain/group-row';
import type { GroupStore } from './group.ports';

/**
 * Creates a group and makes its creator the Owner of it (G-4.15-5).
 * Fails with `not_found` for the parent, `forbidden`, `invalid`.
 */
export const createGroup =
  ({ groups }: { groups: GroupStore }) =>
  async (actor: Viewer, command: CreateGroup): Promise<GroupRow> => {
    const { parentId, path } = command;
    const id = await groups.create({ actor, parentId, path }, (facts) => decideCreate(actor, command, facts));
    const group = await groups.find(id);
    if (group === undefined) throw notFound('Group');
    return group;
  };
