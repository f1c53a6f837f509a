import { DeployTokenServiceService } from '@switchyard/protos/groups_admin/v1/deploy_token';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation } from '@switchyard/rpc';
import { parentOf } from '../../parents';
import type { DeployTokens } from '../application/deploy-tokens';
import { presentDeployToken, presentNewDeployToken } from '../presenters/deploy-token.presenter';

/** DeployTokenService. */
export const deployTokenHandler = (tokens: DeployTokens): ServiceImplementation =>
  implement(DeployTokenServiceService, {
    listAllDeployTokens: async ({ page: wanted, active }, { actor }) => {
      const asked = fixedOrder(wanted, 'id', 'desc');
      const { rows, page: info } = await tokens.listAll(active, asked, actor);
      return page(rows.map(presentDeployToken), { ...info, keyset: asked.mode === 'keyset' });
    },

    listDeployTokens: async ({ parent, page: wanted, active }) => {
      const asked = fixedOrder(wanted, 'id', 'desc');
      const { rows, page: info } = await tokens.list(parentOf(parent), active, asked);
      return page(rows.map(presentDeployToken), { ...info, keyset: asked.mode === 'keyset' });
    },

    getDeployToken: async ({ parent, tokenId }) =>
      entity(presentDeployToken(await tokens.get(parentOf(parent), tokenId))),

    createDeployToken: async ({ parent, ...request }, { actor }) => {
      const { record, token } = await tokens.create(
        parentOf(parent),
        { ...request, expiresAt: request.expiresAt },
        actor,
      );
      return entity(presentNewDeployToken(record, token));
    },

    deleteDeployToken: async ({ parent, tokenId, ifUnmodifiedSince }) => {
      await tokens.remove(parentOf(parent), tokenId, ifUnmodifiedSince);
      return nothing();
    },
  });
