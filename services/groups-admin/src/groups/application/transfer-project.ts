import { notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import type { TransferProject } from '../../projects';
import type { GroupRow } from '../domain/group-row';
import type { GroupStore } from './group.ports';

/**
 * Moves a project, by id or full path, into a group (G-4.15-8); for administrators. Fails with `not_found`, and as
 * the transfer of a project does.
 */
export const transferProjectToGroup =
  ({ groups, transferProject }: { groups: GroupStore; transferProject: TransferProject }) =>
  async (actor: Viewer, given: { group: string; project: string }): Promise<GroupRow> => {
    const id = await groups.findId(given.group);
    if (id === 0) throw notFound('Group');
    await transferProject(actor, given.project, String(id));
    const group = await groups.find(id);
    if (group === undefined) throw notFound('Group');
    return group;
  };
