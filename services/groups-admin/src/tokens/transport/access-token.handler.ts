import { AccessTokenServiceService } from '@switchyard/protos/groups_admin/v1/access_token';
import {
  type CallContext,
  entity,
  implement,
  nothing,
  page,
  pageRequest,
  type ServiceImplementation,
} from '@switchyard/rpc';
import { parentOf } from '../../parents';
import type { AccessTokens } from '../application/access-tokens';
import type { AccessTokenActor } from '../domain/access-token';
import { presentAccessToken, presentNewAccessToken } from '../presenters/personal-access-token.presenter';
import { filterOf } from './token-filter';

const actorOf = ({ actor, access }: CallContext): AccessTokenActor => ({
  userId: actor.userId,
  admin: actor.admin,
  tokenId: actor.tokenId,
  level: access?.level ?? 0,
});

/** AccessTokenService. */
export const accessTokenHandler = (tokens: AccessTokens): ServiceImplementation =>
  implement(AccessTokenServiceService, {
    createAccessToken: async ({ parent, accessLevel, ...request }, context) => {
      const asked = { ...request, level: accessLevel };
      const { record, token } = await tokens.create(parentOf(parent), asked, actorOf(context));
      return entity(presentNewAccessToken(record, token));
    },

    listAccessTokens: async (request) => {
      const asked = pageRequest(request.page, { orderBy: 'id', descending: true });
      const { rows, page: info } = await tokens.list(parentOf(request.parent), filterOf(request), asked);
      return page(rows.map(presentAccessToken), { ...info, keyset: asked.mode === 'keyset' });
    },

    getAccessToken: async ({ parent, tokenId }) =>
      entity(presentAccessToken(await tokens.get(parentOf(parent), tokenId))),

    revokeAccessToken: async ({ parent, tokenId, ifUnmodifiedSince }, context) => {
      await tokens.revoke(parentOf(parent), tokenId, actorOf(context), ifUnmodifiedSince);
      return nothing();
    },

    rotateAccessToken: async ({ parent, tokenId, expiresAt }, context) => {
      const { record, token } = await tokens.rotate(parentOf(parent), tokenId, expiresAt, actorOf(context));
      return entity(presentNewAccessToken(record, token));
    },
  });
