import { SshKeyServiceService } from '@switchyard/protos/groups_admin/v1/ssh_key';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation } from '@switchyard/rpc';
import type { ManageSshKeys } from '../application/manage-ssh-keys';
import type { UsageType } from '../domain/ssh-key';
import { presentFoundKey, presentSshKey } from '../presenters/ssh-key.presenter';

/** SshKeyService. */
export const sshKeyHandler = (keys: ManageSshKeys, externalUrl: string): ServiceImplementation =>
  implement(SshKeyServiceService, {
    listSshKeys: async (request) => {
      const asked = fixedOrder(request.page, 'id', 'asc');
      const { rows, page: info } = await keys.list(request.user, asked);
      return page(
        rows.map((key) => presentSshKey(key, externalUrl)),
        { ...info, keyset: asked.mode === 'keyset' },
      );
    },

    getSshKey: async ({ user, keyId }) => entity(presentSshKey(await keys.get(user, keyId), externalUrl)),

    createSshKey: async ({ userId, title, key, usageType, expiresAt }, { actor }) =>
      entity(
        presentSshKey(
          await keys.create(
            userId,
            { title, key, expiresAt },
            (usageType || 'auth_and_signing') as UsageType,
            actor.userId,
          ),
          externalUrl,
        ),
      ),

    deleteSshKey: async ({ userId, keyId, ifUnmodifiedSince }, { actor }) => {
      await keys.remove(userId, keyId, actor.userId, ifUnmodifiedSince);
      return nothing(204);
    },

    lookUpSshKey: async ({ name }) => {
      const searched = name?.$case === 'fingerprint' ? { fingerprint: name.value } : { id: name?.value ?? 0 };
      const { key, user, projects } = await keys.lookUp(searched);
      return entity(presentFoundKey(key, user, projects, externalUrl));
    },
  });
