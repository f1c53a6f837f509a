import { PersonalAccessTokenServiceService } from '@switchyard/protos/groups_admin/v1/personal_access_token';
import { allScopes } from '@switchyard/rights';
import { integer } from '../../http/params';
import { defineRoute } from '../../http/route';
import { namedId } from './named-id';
import { newToken, tokenPath, tokenState, wireToken } from './token-parameters';

const root = '/users/:user_id/impersonation_tokens' as const;
const section = 'Impersonation tokens';
const user = { user_id: integer() };

/** Tokens by which administrators act as a user (G-5-10). */
export const impersonationTokenRoutes = [
  defineRoute({
    method: 'get',
    path: root,
    section,
    summary: 'List the impersonation tokens of a user',
    access: 'admin',
    path_params: user,
    params: { state: tokenState() },
    list: { orderBy: [] },
    returns: { 200: ['ImpersonationToken'] },
    handle: ({ params, path, page, call }) =>
      call(PersonalAccessTokenServiceService).listImpersonationTokens({
        userId: namedId(path.user_id),
        page,
        state: params.state ?? '',
      }),
  }),
  defineRoute({
    method: 'post',
    path: root,
    section,
    summary: 'Create an impersonation token for a user',
    docs: {
      description:
        'Create a token that acts as the user. The user does not see it. The reply is the only one that holds its value.',
      fails: [422],
      example: { name: 'support', scopes: ['read_api'], expires_at: '2030-01-31' },
    },
    access: 'admin',
    path_params: user,
    params: newToken(allScopes),
    returns: { 201: 'NewImpersonationToken' },
    handle: ({ params, path, call }) =>
      call(PersonalAccessTokenServiceService).createImpersonationToken({
        userId: namedId(path.user_id),
        ...wireToken(params),
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${root}/:token_id`,
    section,
    summary: 'Get an impersonation token of a user',
    access: 'admin',
    path_params: { ...user, ...tokenPath },
    returns: { 200: 'ImpersonationToken' },
    handle: ({ path, call }) =>
      call(PersonalAccessTokenServiceService).getImpersonationToken({ userId: path.user_id, tokenId: path.token_id }),
  }),
  defineRoute({
    method: 'delete',
    path: `${root}/:token_id`,
    section,
    summary: 'Revoke an impersonation token of a user',
    docs: { fails: [412] },
    access: 'admin',
    path_params: { ...user, ...tokenPath },
    returns: { 204: undefined },
    handle: ({ path, unmodifiedSince, call }) =>
      call(PersonalAccessTokenServiceService).revokeImpersonationToken({
        userId: path.user_id,
        tokenId: path.token_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
];
