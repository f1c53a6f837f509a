import { notFound } from '@switchyard/errors';
import type { KeepAvatar } from '../../avatars';
import type { Viewer } from '../../directory';
import { decideUpdate, type UpdateGroup } from '../domain/group-change';
import type { GroupRow } from '../domain/group-row';
import type { GroupStore } from './group.ports';

/**
 * Changes a group (G-4.15-6). A new name or path changes the namespaces below in one statement and no project (D5); a
 * new tier changes the group alone, since readers of the directory look it up there. Fails with `not_found`,
 * `forbidden`, `invalid`.
 */
export const updateGroup =
  ({ groups, keepAvatar, tier }: { groups: GroupStore; keepAvatar: KeepAvatar; tier: string }) =>
  async (actor: Viewer, command: UpdateGroup): Promise<GroupRow> => {
    const found = await keepAvatar(command.avatar, (avatar) =>
      groups.change({ ...command, avatar, actorId: actor.userId }, (group, facts) =>
        decideUpdate(actor, group, command, facts, tier),
      ),
    );
    const group = found ? await groups.find(command.id) : undefined;
    if (group === undefined) throw notFound('Group');
    return group;
  };
