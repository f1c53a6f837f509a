import { createHmac } from 'node:crypto';
import type { Keys } from '@switchyard/secrets';
import type { Area } from '@switchyard/service';
import type { KeepAvatar } from '../avatars';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import type { Owners } from '../members';
import type { ListProjects, TransferProject } from '../projects';
import { derivedKeys } from '../secret-keys';
import type { CurrentSettings } from '../settings';
import { createGroup } from './application/create-group';
import { deleteGroup, restoreGroup } from './application/delete-group';
import { readGroups } from './application/read-groups';
import { transferGroup } from './application/transfer-group';
import { transferProjectToGroup } from './application/transfer-project';
import { updateGroup } from './application/update-group';
import { groupStore } from './storage/group.store';
import { groupHandler, groupViews, type ShowGroup } from './transport/group.handler';

/**
 * Registration tokens of runners. They are derived, so that they are the same on every replica and in no dump of the
 * database.
 */
const runnersTokens =
  (keys: () => Keys) =>
  (groupId: number): string =>
    `GR1348941${createHmac('sha256', keys()[0]).update(`runners of group ${groupId}`).digest('base64url').slice(0, 20)}`;

/** Groups, and how other areas show one after a change. */
export interface GroupArea extends Area {
  readonly showGroup: ShowGroup;
}

/** Groups and their trees. */
export function composeGroups(
  { config, db, observe }: Edges,
  writer: DirectoryWriter,
  {
    owners,
    settings,
    ...others
  }: {
    owners: Owners;
    listProjects: ListProjects;
    transferProject: TransferProject;
    settings: CurrentSettings;
    keepAvatar: KeepAvatar;
  },
): GroupArea {
  const { SWITCHYARD_TIER: tier } = config;
  const given = { groups: groupStore(db, writer, owners), tier, settings, ...others };
  const { list: listGroups, get: getGroup, sharedWith, transferLocations: listTransferLocations } = readGroups(given);
  const useCases = observe('groups', {
    createGroup: createGroup(given),
    updateGroup: updateGroup(given),
    transferGroup: transferGroup(given),
    deleteGroup: deleteGroup(given),
    restoreGroup: restoreGroup(given),
    transferProjectToGroup: transferProjectToGroup(given),
    listGroups,
    getGroup,
    sharedWith,
    listTransferLocations,
  });
  const instance = { tier, externalUrl: config.SWITCHYARD_EXTERNAL_URL };
  const views = groupViews(useCases, instance, runnersTokens(derivedKeys(config, 'switchyard runners of groups')));
  return { services: [groupHandler(useCases, instance, views)], showGroup: views.showGroup };
}
