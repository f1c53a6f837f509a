import { PersonalAccessTokenServiceService } from '@switchyard/protos/groups_admin/v1/personal_access_token';
import { entity, fixedOrder, implement, nothing, page, pageRequest, type ServiceImplementation } from '@switchyard/rpc';
import type { PersonalAccessTokens } from '../application/personal-access-tokens';
import {
  presentImpersonationToken,
  presentNewImpersonationToken,
  presentNewToken,
  presentSingleToken,
  presentToken,
} from '../presenters/personal-access-token.presenter';
import { filterOf, stateOf } from './token-filter';

/** PersonalAccessTokenService. */
export const personalAccessTokenHandler = (tokens: PersonalAccessTokens): ServiceImplementation =>
  implement(PersonalAccessTokenServiceService, {
    createPersonalAccessToken: async ({ userId, ...request }, { actor }) => {
      const { record, token } = await tokens.create(userId, request, actor);
      return entity(presentNewToken(record, token));
    },

    listPersonalAccessTokens: async (request, { actor }) => {
      const asked = pageRequest(request.page, { orderBy: 'id', descending: true });
      const { rows, page: info } = await tokens.list(
        { ...filterOf(request), userId: request.userId || undefined },
        asked,
        actor,
      );
      return page(rows.map(presentToken), { ...info, keyset: asked.mode === 'keyset' });
    },

    getPersonalAccessToken: async ({ tokenId }, { actor }) =>
      entity(presentSingleToken(await tokens.get(tokenId, actor))),

    revokePersonalAccessToken: async ({ tokenId, ifUnmodifiedSince }, { actor }) => {
      await tokens.revoke(tokenId, actor, ifUnmodifiedSince);
      return nothing();
    },

    rotatePersonalAccessToken: async ({ tokenId, expiresAt }, { actor }) => {
      const { record, token } = await tokens.rotate(tokenId, expiresAt, actor);
      return entity(presentNewToken(record, token));
    },

    createImpersonationToken: async ({ userId, ...request }, { actor }) => {
      const { record, token } = await tokens.createImpersonation(userId, request, actor);
      return entity(presentNewImpersonationToken(record, token));
    },

    listImpersonationTokens: async ({ userId, state, page: wanted }, { actor }) => {
      const asked = fixedOrder(wanted, 'id', 'desc');
      const { rows, page: info } = await tokens.listImpersonation(userId, stateOf(state), asked, actor);
      return page(rows.map(presentImpersonationToken), { ...info, keyset: asked.mode === 'keyset' });
    },

    getImpersonationToken: async ({ userId, tokenId }, { actor }) =>
      entity(presentImpersonationToken(await tokens.getImpersonation(userId, tokenId, actor))),

    revokeImpersonationToken: async ({ userId, tokenId, ifUnmodifiedSince }, { actor }) => {
      await tokens.revokeImpersonation(userId, tokenId, actor, ifUnmodifiedSince);
      return nothing();
    },
  });
