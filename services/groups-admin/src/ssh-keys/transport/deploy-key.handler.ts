import { DeployKeyServiceService } from '@switchyard/protos/groups_admin/v1/deploy_key';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation, viewerOf } from '@switchyard/rpc';
import type { ManageDeployKeys } from '../application/manage-deploy-keys';
import { presentDeployKey, presentSharedDeployKey } from '../presenters/deploy-key.presenter';

/** DeployKeyService. */
export const deployKeyHandler = (keys: ManageDeployKeys): ServiceImplementation =>
  implement(DeployKeyServiceService, {
    listDeployKeys: async (request) => {
      const asked = fixedOrder(request.page, 'id', 'asc');
      const keyset = asked.mode === 'keyset';
      if (request.projectId > 0) {
        const { rows, page: info } = await keys.listOfProject(request.projectId, asked);
        return page(rows.map(presentDeployKey), { ...info, keyset });
      }
      const { rows, page: info } = await keys.listAll(request.public, asked);
      return page(rows.map(presentSharedDeployKey), { ...info, keyset });
    },

    getDeployKey: async ({ projectId, keyId }) => entity(presentDeployKey(await keys.get(projectId, keyId))),

    createDeployKey: async ({ projectId, title, key, canPush, expiresAt }, context) => {
      const actor = viewerOf(context);
      const given = { title, key, expiresAt };
      return projectId > 0
        ? entity(presentDeployKey(await keys.create(actor, projectId, given, canPush)))
        : entity(presentSharedDeployKey({ key: await keys.createPublic(actor, given), projects: [] }));
    },

    updateDeployKey: async ({ projectId, keyId, title, canPush }) =>
      entity(presentDeployKey(await keys.update(projectId, keyId, { title, canPush }))),

    enableDeployKey: async ({ projectId, keyId }, context) =>
      entity(presentDeployKey(await keys.enable(viewerOf(context), projectId, keyId))),

    deleteDeployKey: async ({ projectId, keyId, ifUnmodifiedSince }) => {
      await keys.remove(projectId, keyId, ifUnmodifiedSince);
      return nothing(204);
    },
  });
