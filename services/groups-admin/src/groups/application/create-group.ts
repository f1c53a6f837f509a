import { notFound } from '@switchyard/errors';
import type { KeepAvatar } from '../../avatars';
import type { Viewer } from '../../directory';
import type { CurrentSettings } from '../../settings';
import { type CreateGroup, decideCreate } from '../domain/group-change';
import type { GroupRow } from '../domain/group-row';
import type { GroupStore } from './group.ports';

/**
 * Creates a group and makes its creator the Owner of it (G-4.15-5).
 * Fails with `not_found` for the parent, `forbidden`, `invalid`.
 */
export const createGroup =
  ({
    groups,
    settings,
    keepAvatar,
    tier,
  }: {
    groups: GroupStore;
    settings: CurrentSettings;
    keepAvatar: KeepAvatar;
    tier: string;
  }) =>
  async (actor: Viewer, command: CreateGroup): Promise<GroupRow> => {
    const { parentId, path } = command;
    const { default_group_visibility: visibility } = await settings();
    const id = await keepAvatar(command.avatar, (avatar) =>
      groups.create({ actor, parentId, path, avatar }, (facts) =>
        decideCreate(actor, command, facts, { visibility, tier }),
      ),
    );
    const group = await groups.find(id);
    if (group === undefined) throw notFound('Group');
    return group;
  };
