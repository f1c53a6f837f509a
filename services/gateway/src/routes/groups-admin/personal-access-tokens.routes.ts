import { PersonalAccessTokenServiceService } from '@switchyard/protos/groups_admin/v1/personal_access_token';
import { allScopes, selfServiceScopes } from '@switchyard/rights';
import { date, integer } from '../../http/params';
import { defineRoute } from '../../http/route';
import { namedId } from './named-id';
import { newToken, tokenFilters, tokenOrderOf, tokenPath, wireFilters, wireToken } from './token-parameters';

/** Personal access tokens (G-5-10, G-5-11). */
export const personalAccessTokenRoutes = [
  defineRoute({
    method: 'post',
    path: '/users/:user_id/personal_access_tokens',
    section: 'Personal access tokens',
    summary: 'Create a personal access token for a user',
    docs: {
      description: 'Create a token. The reply is the only one that holds its value.',
      fails: [422],
      example: { name: 'deploy', scopes: ['read_api'], expires_at: '2030-01-31' },
    },
    access: 'admin',
    path_params: { user_id: integer() },
    params: newToken(allScopes),
    returns: { 201: 'NewPersonalAccessToken' },
    handle: ({ path, params, call }) =>
      call(PersonalAccessTokenServiceService).createPersonalAccessToken({
        userId: namedId(path.user_id),
        ...wireToken(params),
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/user/personal_access_tokens',
    section: 'Personal access tokens',
    summary: 'Create a personal access token with limited scopes for oneself',
    docs: {
      description:
        'Create a token of the caller, with scopes that give no access to the API. The reply is the only one that holds its value.',
      fails: [422],
      example: { name: 'rotation', scopes: ['self_rotate'] },
    },
    access: 'user',
    params: newToken(selfServiceScopes),
    returns: { 201: 'NewPersonalAccessToken' },
    handle: ({ params, call }) =>
      call(PersonalAccessTokenServiceService).createPersonalAccessToken({
        userId: 0,
        ...wireToken(params),
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/personal_access_tokens',
    section: 'Personal access tokens',
    summary: 'List personal access tokens',
    access: 'user',
    params: {
      user_id: integer().optional(),
      ...tokenFilters,
    },
    list: { orderBy: [] },
    returns: { 200: ['PersonalAccessToken'] },
    handle: ({ params, page, call }) =>
      call(PersonalAccessTokenServiceService).listPersonalAccessTokens({
        page: { ...page, ...tokenOrderOf(params.sort) },
        userId: params.user_id ?? 0,
        ...wireFilters(params),
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/personal_access_tokens/self',
    section: 'Personal access tokens',
    summary: 'Get the personal access token of the request',
    access: 'user',
    scopes: 'any',
    returns: { 200: 'SinglePersonalAccessToken' },
    handle: ({ call }) => call(PersonalAccessTokenServiceService).getPersonalAccessToken({ tokenId: 0 }),
  }),
  defineRoute({
    method: 'delete',
    path: '/personal_access_tokens/self',
    section: 'Personal access tokens',
    summary: 'Revoke the personal access token of the request',
    docs: { fails: [412] },
    access: 'user',
    scopes: 'any',
    returns: { 204: undefined },
    handle: ({ unmodifiedSince, call }) =>
      call(PersonalAccessTokenServiceService).revokePersonalAccessToken({
        tokenId: 0,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/personal_access_tokens/self/rotate',
    section: 'Personal access tokens',
    summary: 'Rotate the personal access token of the request',
    docs: {
      description: 'Revoke the token and create one like it. The reply is the only one that holds its value.',
      fails: [405, 422],
      example: { expires_at: '2030-01-31' },
    },
    access: 'user',
    scopes: ['self_rotate'],
    params: { expires_at: date().optional() },
    returns: { 200: 'NewPersonalAccessToken' },
    handle: ({ params, call }) =>
      call(PersonalAccessTokenServiceService).rotatePersonalAccessToken({
        tokenId: 0,
        expiresAt: params.expires_at ?? '',
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/personal_access_tokens/:token_id',
    section: 'Personal access tokens',
    summary: 'Get a personal access token',
    access: 'user',
    path_params: tokenPath,
    returns: { 200: 'SinglePersonalAccessToken' },
    handle: ({ path, call }) =>
      call(PersonalAccessTokenServiceService).getPersonalAccessToken({ tokenId: namedId(path.token_id) }),
  }),
  defineRoute({
    method: 'delete',
    path: '/personal_access_tokens/:token_id',
    section: 'Personal access tokens',
    summary: 'Revoke a personal access token',
    docs: { fails: [412] },
    access: 'user',
    path_params: tokenPath,
    returns: { 204: undefined },
    handle: ({ path, unmodifiedSince, call }) =>
      call(PersonalAccessTokenServiceService).revokePersonalAccessToken({
        tokenId: namedId(path.token_id),
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/personal_access_tokens/:token_id/rotate',
    section: 'Personal access tokens',
    summary: 'Rotate a personal access token',
    docs: {
      description: 'Revoke a token and create one like it. The reply is the only one that holds its value.',
      fails: [405, 422],
      example: { expires_at: '2030-01-31' },
    },
    access: 'user',
    path_params: tokenPath,
    params: { expires_at: date().optional() },
    returns: { 200: 'NewPersonalAccessToken' },
    handle: ({ path, params, call }) =>
      call(PersonalAccessTokenServiceService).rotatePersonalAccessToken({
        tokenId: namedId(path.token_id),
        expiresAt: params.expires_at ?? '',
      }),
  }),
];
