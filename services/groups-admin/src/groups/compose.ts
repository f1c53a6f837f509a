import { createHmac } from 'node:crypto';
import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import type { Owners } from '../members';
import type { ListProjects } from '../projects';
import { createGroup } from './application/create-group';
import { deleteGroup, restoreGroup } from './application/delete-group';
import { readGroups } from './application/read-groups';
import { transferGroup } from './application/transfer-group';
import { updateGroup } from './application/update-group';
import { groupStore } from './storage/group.store';
import { groupHandler } from './transport/group.handler';

/**
 * Registration tokens of runners. They are derived, so that they are the same on every replica and in no dump of the
 * database.
 */
const runnersTokens =
  (secret: string) =>
  (groupId: number): string =>
    `GR1348941${createHmac('sha256', secret).update(`runners of group ${groupId}`).digest('base64url').slice(0, 20)}`;

/** Groups and their trees. */
export function composeGroups(
  { config, db, observe }: Edges,
  writer: DirectoryWriter,
  { owners, listProjects }: { owners: Owners; listProjects: ListProjects },
): Area {
  const given = { groups: groupStore(db, writer, owners), listProjects };
  const { list: listGroups, get: getGroup } = readGroups(given);
  const useCases = observe('groups', {
    createGroup: createGroup(given),
    updateGroup: updateGroup(given),
    transferGroup: transferGroup(given),
    deleteGroup: deleteGroup(given),
    restoreGroup: restoreGroup(given),
    listGroups,
    getGroup,
  });
  const instance = { tier: config.SWITCHYARD_TIER, externalUrl: config.SWITCHYARD_EXTERNAL_URL };
  return { services: [groupHandler(useCases, instance, runnersTokens(config.SWITCHYARD_SECRET))] };
}
