import { AccessTokenServiceService } from '@switchyard/protos/groups_admin/v1/access_token';
import { levels, resourceScopes } from '@switchyard/rights';
import { date, oneOfIntegers } from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { levelsFromGuest } from './access-levels';
import { namedId } from './named-id';
import { type ParentKind, parentOf } from './parents';
import { newToken, tokenFilters, tokenOrderOf, tokenPath, wireFilters, wireToken } from './token-parameters';

const section = 'Project and group access tokens';

/** Access tokens of projects and of groups are one resource on two paths (G-5-10). */
const accessTokenRoutesOf = (kind: ParentKind): Route[] => {
  const root = `/${kind}s/:id/access_tokens`;
  const administer = kind === 'group' ? ({ group: 'admin_group' } as const) : ({ project: 'admin_project' } as const);
  // Every member may rotate the token that they present, where it is one of this project or group.
  const seen = kind === 'group' ? ({ group: 'leave_group' } as const) : ({ project: 'leave_project' } as const);
  return [
    defineRoute({
      method: 'get',
      path: root,
      section,
      summary: `List the access tokens of a ${kind}`,
      docs: { description: 'Tokens that are no longer good are listed for 30 days after the last one of their bot.' },
      access: administer,
      params: tokenFilters,
      list: { orderBy: [] },
      returns: { 200: ['AccessToken'] },
      handle: ({ params, access, page, call }) =>
        call(AccessTokenServiceService).listAccessTokens({
          parent: parentOf(kind, access),
          page: { ...page, ...tokenOrderOf(params.sort) },
          ...wireFilters(params),
        }),
    }),
    defineRoute({
      method: 'post',
      path: root,
      section,
      summary: `Create an access token of a ${kind}`,
      docs: {
        description:
          'Create a bot that is a member for as long as its token is good. The level is at most that of the caller. The reply is the only one that holds the value of the token.',
        example: { name: 'deploy', scopes: ['read_api'], access_level: 20, expires_at: '2030-01-31' },
      },
      access: administer,
      params: {
        ...newToken(resourceScopes),
        access_level: oneOfIntegers(...levelsFromGuest).default(levels.maintainer),
      },
      returns: { 201: 'NewAccessToken' },
      handle: ({ params, access, call }) =>
        call(AccessTokenServiceService).createAccessToken({
          parent: parentOf(kind, access),
          ...wireToken(params),
          accessLevel: params.access_level,
        }),
    }),
    defineRoute({
      method: 'get',
      path: `${root}/:token_id`,
      section,
      summary: `Get an access token of a ${kind}`,
      access: administer,
      path_params: tokenPath,
      returns: { 200: 'AccessToken' },
      handle: ({ path, access, call }) =>
        call(AccessTokenServiceService).getAccessToken({ parent: parentOf(kind, access), tokenId: path.token_id }),
    }),
    defineRoute({
      method: 'delete',
      path: `${root}/:token_id`,
      section,
      summary: `Revoke an access token of a ${kind}`,
      docs: {
        description: 'Ends the membership of the bot at once. The bot is deleted 30 days later.',
        fails: [412],
      },
      access: administer,
      path_params: tokenPath,
      returns: { 204: undefined },
      handle: ({ path, access, unmodifiedSince, call }) =>
        call(AccessTokenServiceService).revokeAccessToken({
          parent: parentOf(kind, access),
          tokenId: path.token_id,
          ifUnmodifiedSince: unmodifiedSince,
        }),
    }),
    defineRoute({
      method: 'post',
      path: `${root}/self/rotate`,
      section,
      summary: `Rotate the access token of the request, of a ${kind}`,
      docs: {
        description: 'Revoke the token and create one like it. The reply is the only one that holds its value.',
        fails: [405],
        example: { expires_at: '2030-01-31' },
      },
      access: seen,
      scopes: ['self_rotate'],
      params: { expires_at: date().optional() },
      returns: { 200: 'NewAccessToken' },
      handle: ({ params, access, call }) =>
        call(AccessTokenServiceService).rotateAccessToken({
          parent: parentOf(kind, access),
          tokenId: 0,
          expiresAt: params.expires_at ?? '',
        }),
    }),
    defineRoute({
      method: 'post',
      path: `${root}/:token_id/rotate`,
      section,
      summary: `Rotate an access token of a ${kind}`,
      docs: {
        description: 'Revoke a token and create one like it. The reply is the only one that holds its value.',
        example: { expires_at: '2030-01-31' },
      },
      access: administer,
      path_params: tokenPath,
      params: { expires_at: date().optional() },
      returns: { 200: 'NewAccessToken' },
      handle: ({ params, path, access, call }) =>
        call(AccessTokenServiceService).rotateAccessToken({
          parent: parentOf(kind, access),
          tokenId: namedId(path.token_id),
          expiresAt: params.expires_at ?? '',
        }),
    }),
  ];
};

/** Access tokens of projects and groups. */
export const accessTokenRoutes: readonly Route[] = [...accessTokenRoutesOf('project'), ...accessTokenRoutesOf('group')];
