import { ServiceAccountServiceService } from '@switchyard/protos/groups_admin/v1/service_account';
import { allScopes } from '@switchyard/rights';
import { boolean, date, documented, integer, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { mailAddress, oneLine, pathPart } from '../field-facts';
import { newToken, tokenFilters, tokenOrderOf, tokenPath, wireFilters, wireToken } from './token-parameters';

const settings = {
  name: documented(text(), oneLine).optional(),
  username: documented(text(), pathPart).optional(),
  email: documented(text(), mailAddress).optional(),
};

const account = { user_id: integer() };
const token = { ...account, ...tokenPath };
const root = '/groups/:id/service_accounts';
const tokens = `${root}/:user_id/personal_access_tokens`;

const shared = { section: 'Service accounts', tier: 'premium' } as const;
const ofGroup = { ...shared, access: { group: 'admin_group' } } as const;
const ofInstance = { ...shared, access: 'admin' } as const;
const list = { orderBy: ['id', 'username'], sort: 'desc' } as const;

const creation = {
  description:
    'Create a user for programs. Without a `username` and an `email` these are generated. An `email` of its own has to be confirmed, by a link in a mail, before the account can be used.',
  example: { name: 'Release robot', username: 'release-robot' },
};
const change = {
  description: 'Change a service account. A new `email` counts once it is confirmed, by a link in a mail.',
  example: { name: 'Release robot' },
};

/** Service accounts of top-level groups and of the instance, and their tokens (api.md 4.5, G-4.5-1 … G-4.5-13). */
export const serviceAccountRoutes = [
  defineRoute({
    ...ofGroup,
    method: 'get',
    path: root,
    summary: 'List the service accounts of a group',
    list,
    returns: { 200: ['ServiceAccount'] },
    handle: ({ access, page, call }) =>
      call(ServiceAccountServiceService).listServiceAccounts({ page, groupId: access.id }),
  }),
  defineRoute({
    ...ofGroup,
    method: 'post',
    path: root,
    summary: 'Create a service account in a group',
    docs: creation,
    params: settings,
    limitWith: { parameter: 'email', limit: 'emails' },
    returns: { 201: 'ServiceAccount' },
    handle: ({ access, params, call }) =>
      call(ServiceAccountServiceService).createServiceAccount({ groupId: access.id, settings: params }),
  }),
  defineRoute({
    ...ofGroup,
    method: 'patch',
    path: `${root}/:user_id`,
    summary: 'Change a service account of a group',
    docs: change,
    path_params: account,
    params: settings,
    limitWith: { parameter: 'email', limit: 'emails' },
    returns: { 200: 'ServiceAccount' },
    handle: ({ access, path, params, call }) =>
      call(ServiceAccountServiceService).updateServiceAccount({
        groupId: access.id,
        userId: path.user_id,
        settings: params,
      }),
  }),
  defineRoute({
    ...ofGroup,
    method: 'delete',
    path: `${root}/:user_id`,
    summary: 'Delete a service account of a group',
    docs: {
      description:
        'Delete a service account. The ghost user stands in for what it wrote. With `hard_delete` that is deleted as well, and groups that it alone owns: it is blocked at once, the rest follows in the background.',
      fails: [409, 412],
    },
    path_params: account,
    params: { hard_delete: boolean().default(false) },
    returns: { 204: undefined },
    handle: ({ access, path, params, unmodifiedSince, call }) =>
      call(ServiceAccountServiceService).deleteServiceAccount({
        groupId: access.id,
        userId: path.user_id,
        hardDelete: params.hard_delete,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    ...ofGroup,
    method: 'get',
    path: tokens,
    summary: 'List the personal access tokens of a service account',
    path_params: account,
    params: tokenFilters,
    list: { orderBy: [] },
    returns: { 200: ['PersonalAccessToken'] },
    handle: ({ access, path, params, page, call }) =>
      call(ServiceAccountServiceService).listServiceAccountTokens({
        page: { ...page, ...tokenOrderOf(params.sort) },
        groupId: access.id,
        userId: path.user_id,
        ...wireFilters(params),
      }),
  }),
  defineRoute({
    ...ofGroup,
    method: 'post',
    path: tokens,
    summary: 'Create a personal access token for a service account',
    docs: {
      description: 'Create a token. The reply is the only one that holds its value.',
      fails: [422],
      example: { name: 'deploy', scopes: ['read_api'], expires_at: '2030-01-31' },
    },
    path_params: account,
    params: newToken(allScopes),
    returns: { 201: 'NewPersonalAccessToken' },
    handle: ({ access, path, params, call }) =>
      call(ServiceAccountServiceService).createServiceAccountToken({
        groupId: access.id,
        userId: path.user_id,
        ...wireToken(params),
      }),
  }),
  defineRoute({
    ...ofGroup,
    method: 'post',
    path: `${tokens}/:token_id/rotate`,
    summary: 'Rotate a personal access token of a service account',
    docs: {
      description: 'Revoke a token and create one like it. The reply is the only one that holds its value.',
      example: { expires_at: '2030-01-31' },
    },
    path_params: token,
    params: { expires_at: date().optional() },
    returns: { 200: 'NewPersonalAccessToken' },
    handle: ({ access, path, params, call }) =>
      call(ServiceAccountServiceService).rotateServiceAccountToken({
        groupId: access.id,
        userId: path.user_id,
        tokenId: path.token_id,
        expiresAt: params.expires_at ?? '',
      }),
  }),
  defineRoute({
    ...ofGroup,
    method: 'delete',
    path: `${tokens}/:token_id`,
    summary: 'Revoke a personal access token of a service account',
    docs: { fails: [412] },
    path_params: token,
    returns: { 204: undefined },
    handle: ({ access, path, unmodifiedSince, call }) =>
      call(ServiceAccountServiceService).revokeServiceAccountToken({
        groupId: access.id,
        userId: path.user_id,
        tokenId: path.token_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    ...ofInstance,
    method: 'get',
    path: '/service_accounts',
    summary: 'List the service accounts of the instance',
    list,
    returns: { 200: ['ServiceAccount'] },
    handle: ({ page, call }) => call(ServiceAccountServiceService).listServiceAccounts({ page, groupId: 0 }),
  }),
  defineRoute({
    ...ofInstance,
    method: 'post',
    path: '/service_accounts',
    summary: 'Create a service account of the instance',
    docs: creation,
    params: settings,
    limitWith: { parameter: 'email', limit: 'emails' },
    returns: { 201: 'ServiceAccount' },
    handle: ({ params, call }) =>
      call(ServiceAccountServiceService).createServiceAccount({ groupId: 0, settings: params }),
  }),
  defineRoute({
    ...ofInstance,
    method: 'patch',
    path: '/service_accounts/:user_id',
    summary: 'Change a service account of the instance',
    docs: change,
    path_params: account,
    params: settings,
    limitWith: { parameter: 'email', limit: 'emails' },
    returns: { 200: 'ServiceAccount' },
    handle: ({ path, params, call }) =>
      call(ServiceAccountServiceService).updateServiceAccount({ groupId: 0, userId: path.user_id, settings: params }),
  }),
];
