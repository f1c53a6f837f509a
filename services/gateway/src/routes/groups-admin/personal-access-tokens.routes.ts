import { notFound } from '@switchyard/errors';
import { PersonalAccessTokenServiceService } from '@switchyard/protos/groups_admin/v1/personal_access_token';
import { allScopes, selfServiceScopes } from '@switchyard/rights';
import { boolean, date, dateTime, documented, integer, manyOf, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, oneLine } from '../field-facts';

const sorts = [
  'created_asc',
  'created_desc',
  'expires_asc',
  'expires_desc',
  'last_used_asc',
  'last_used_desc',
  'name_asc',
  'name_desc',
] as const;

/** Column of each word of `sort`; ids descending without one. */
const orderOf = (sort: (typeof sorts)[number] | undefined) => {
  if (sort === undefined) return { orderBy: 'id', descending: true };
  const columns = { created: 'created_at', expires: 'expires_at', last_used: 'last_used_at', name: 'name' };
  const at = sort.lastIndexOf('_');
  return {
    orderBy: columns[sort.slice(0, at) as keyof typeof columns],
    descending: sort.slice(at + 1) === 'desc',
  };
};

const token = { token_id: integer() };

/** An id of a path: 0 means "the token that was presented" to the service, and is no id. */
const named = (id: number): number => {
  if (id <= 0) throw notFound();
  return id;
};

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
    params: {
      name: documented(text(), oneLine),
      description: documented(text(), atMost(255)).optional(),
      scopes: documented(manyOf(...allScopes), { minItems: 1 }),
      expires_at: date().optional(),
    },
    returns: { 201: 'NewPersonalAccessToken' },
    handle: ({ path, params, call }) =>
      call(PersonalAccessTokenServiceService).createPersonalAccessToken({
        userId: named(path.user_id),
        name: params.name,
        description: params.description ?? '',
        scopes: params.scopes,
        expiresAt: params.expires_at ?? '',
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
    params: {
      name: documented(text(), oneLine),
      description: documented(text(), atMost(255)).optional(),
      scopes: documented(manyOf(...selfServiceScopes), { minItems: 1 }),
      expires_at: date().optional(),
    },
    returns: { 201: 'NewPersonalAccessToken' },
    handle: ({ params, call }) =>
      call(PersonalAccessTokenServiceService).createPersonalAccessToken({
        userId: 0,
        name: params.name,
        description: params.description ?? '',
        scopes: params.scopes,
        expiresAt: params.expires_at ?? '',
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
      revoked: boolean().optional(),
      state: oneOf('active', 'inactive').optional(),
      search: text().optional(),
      created_after: dateTime().optional(),
      created_before: dateTime().optional(),
      last_used_after: dateTime().optional(),
      last_used_before: dateTime().optional(),
      expires_after: date().optional(),
      expires_before: date().optional(),
      sort: oneOf(...sorts).optional(),
    },
    list: { orderBy: [] },
    returns: { 200: ['PersonalAccessToken'] },
    handle: ({ params, page, call }) =>
      call(PersonalAccessTokenServiceService).listPersonalAccessTokens({
        page: { ...page, ...orderOf(params.sort) },
        userId: params.user_id ?? 0,
        revoked: params.revoked,
        state: params.state ?? '',
        search: params.search ?? '',
        createdAfter: params.created_after,
        createdBefore: params.created_before,
        lastUsedAfter: params.last_used_after,
        lastUsedBefore: params.last_used_before,
        expiresAfter: params.expires_after ?? '',
        expiresBefore: params.expires_before ?? '',
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
    path_params: token,
    returns: { 200: 'SinglePersonalAccessToken' },
    handle: ({ path, call }) =>
      call(PersonalAccessTokenServiceService).getPersonalAccessToken({ tokenId: named(path.token_id) }),
  }),
  defineRoute({
    method: 'delete',
    path: '/personal_access_tokens/:token_id',
    section: 'Personal access tokens',
    summary: 'Revoke a personal access token',
    docs: { fails: [412] },
    access: 'user',
    path_params: token,
    returns: { 204: undefined },
    handle: ({ path, unmodifiedSince, call }) =>
      call(PersonalAccessTokenServiceService).revokePersonalAccessToken({
        tokenId: named(path.token_id),
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
    path_params: token,
    params: { expires_at: date().optional() },
    returns: { 200: 'NewPersonalAccessToken' },
    handle: ({ path, params, call }) =>
      call(PersonalAccessTokenServiceService).rotatePersonalAccessToken({
        tokenId: named(path.token_id),
        expiresAt: params.expires_at ?? '',
      }),
  }),
];
