import { PlaceholderUserServiceService } from '@switchyard/protos/groups_admin/v1/placeholder_user';
import { AuthorshipServiceService } from '@switchyard/protos/rpc/v1/authorship';
import type { Peer } from '@switchyard/rpc';
import type { AuthorPlaces } from '../application/placeholders.ports';
import { importMembersBy } from './import-members.client';

/** Milliseconds for a part: a few transactions over rows that may have to be read from disk. */
const partMs = 60_000;

/** Id of the requests of background work. */
const requestId = 'import-placeholders';

/** Asks the services that keep what users write. */
export function authorPlacesOf(
  peer: (name: 'groups-admin' | 'merge-requests' | 'collaboration') => Peer,
): AuthorPlaces {
  const groupsAdmin = peer('groups-admin');
  const users = groupsAdmin.client(PlaceholderUserServiceService);
  const owners = [peer('collaboration'), peer('merge-requests')].map((owner) => owner.client(AuthorshipServiceService));
  const options = { requestId, idempotent: true, timeoutMs: partMs };
  return {
    async reassign(change) {
      let changed = false;
      for (const owner of owners) changed = (await owner.reassign(change, options)).changed > 0 || changed;
      return changed;
    },
    importMembers: importMembersBy(groupsAdmin),
    create: (projectId, person, id) =>
      users.createPlaceholderUser({ projectId, ...person }, { requestId: id, idempotent: true }),
    async remove(projectId, userId) {
      await users.removePlaceholderUser({ projectId, userId }, options);
    },
  };
}
