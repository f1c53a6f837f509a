import {
  ServiceAccountServiceService,
  type ServiceAccountSettings,
} from '@switchyard/protos/groups_admin/v1/service_account';
import { entity, implement, nothing, page, pageRequest, type ServiceImplementation } from '@switchyard/rpc';
import { filterOf, presentNewToken, presentToken } from '../../tokens';
import type { AccountFields } from '../../users';
import type { ServiceAccounts } from '../application/service-accounts';
import type { AccountOwner } from '../domain/service-account';
import { presentServiceAccount } from '../presenters/service-account.presenter';

const ownerOf = (groupId: number): AccountOwner => (groupId === 0 ? 'instance' : { groupId });

const fieldsOf = (settings: ServiceAccountSettings | undefined): AccountFields => ({
  name: settings?.name,
  username: settings?.username,
  email: settings?.email,
});

/** ServiceAccountService. */
export const serviceAccountHandler = (accounts: ServiceAccounts): ServiceImplementation =>
  implement(ServiceAccountServiceService, {
    listServiceAccounts: async (request, caller) => {
      const asked = pageRequest(request.page, { orderBy: 'id', descending: true });
      const { rows, page: info } = await accounts.list(ownerOf(request.groupId), asked, caller);
      return page(rows.map(presentServiceAccount), { ...info, keyset: asked.mode === 'keyset' });
    },

    createServiceAccount: async ({ groupId, settings }, caller) =>
      entity(presentServiceAccount(await accounts.create(ownerOf(groupId), fieldsOf(settings), caller))),

    updateServiceAccount: async ({ groupId, userId, settings }, caller) =>
      entity(presentServiceAccount(await accounts.update(ownerOf(groupId), userId, fieldsOf(settings), caller))),

    deleteServiceAccount: async ({ groupId, userId, hardDelete, ifUnmodifiedSince }, caller) => {
      const options = { hard: hardDelete, unmodifiedSince: ifUnmodifiedSince };
      await accounts.remove(ownerOf(groupId), userId, options, caller);
      return nothing();
    },

    listServiceAccountTokens: async (request, caller) => {
      const asked = pageRequest(request.page, { orderBy: 'id', descending: true });
      const owner = ownerOf(request.groupId);
      const { rows, page: info } = await accounts.listTokens(owner, request.userId, filterOf(request), asked, caller);
      return page(rows.map(presentToken), { ...info, keyset: asked.mode === 'keyset' });
    },

    createServiceAccountToken: async ({ groupId, userId, ...request }, caller) => {
      const { record, token } = await accounts.createToken(ownerOf(groupId), userId, request, caller);
      return entity(presentNewToken(record, token));
    },

    rotateServiceAccountToken: async ({ groupId, userId, tokenId, expiresAt }, caller) => {
      const { record, token } = await accounts.rotateToken(ownerOf(groupId), userId, { tokenId, expiresAt }, caller);
      return entity(presentNewToken(record, token));
    },

    revokeServiceAccountToken: async ({ groupId, userId, tokenId, ifUnmodifiedSince }, caller) => {
      const request = { tokenId, unmodifiedSince: ifUnmodifiedSince };
      await accounts.revokeToken(ownerOf(groupId), userId, request, caller);
      return nothing();
    },
  });
