import {
  type ListPersonalAccessTokensRequest,
  PersonalAccessTokenServiceService,
} from '@switchyard/protos/groups_admin/v1/personal_access_token';
import { entity, implement, nothing, page, pageRequest, type ServiceImplementation } from '@switchyard/rpc';
import type { PersonalAccessTokens } from '../application/personal-access-tokens';
import type { TokenFilter } from '../domain/personal-access-token-row';
import { presentNewToken, presentSingleToken, presentToken } from '../presenters/personal-access-token.presenter';

const filterOf = (request: ListPersonalAccessTokensRequest): TokenFilter => ({
  userId: request.userId || undefined,
  revoked: request.revoked,
  state: (request.state || undefined) as TokenFilter['state'],
  search: request.search || undefined,
  createdAfter: request.createdAfter,
  createdBefore: request.createdBefore,
  lastUsedAfter: request.lastUsedAfter,
  lastUsedBefore: request.lastUsedBefore,
  expiresAfter: request.expiresAfter || undefined,
  expiresBefore: request.expiresBefore || undefined,
});

/** PersonalAccessTokenService. */
export const personalAccessTokenHandler = (tokens: PersonalAccessTokens): ServiceImplementation =>
  implement(PersonalAccessTokenServiceService, {
    createPersonalAccessToken: async ({ userId, ...request }, { actor }) => {
      const { record, token } = await tokens.create(userId, request, actor);
      return entity(presentNewToken(record, token));
    },

    listPersonalAccessTokens: async (request, { actor }) => {
      const asked = pageRequest(request.page, { orderBy: 'id', descending: true });
      const { rows, page: info } = await tokens.list(filterOf(request), asked, actor);
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
  });
