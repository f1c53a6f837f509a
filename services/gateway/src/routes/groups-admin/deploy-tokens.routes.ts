import { DeployTokenServiceService } from '@switchyard/protos/groups_admin/v1/deploy_token';
import { deployScopes } from '@switchyard/rights';
import { boolean, dateTime, documented, manyOf, text } from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { atMost, oneLine } from '../field-facts';
import { type ParentKind, parentOf } from './parents';
import { tokenPath } from './token-parameters';

const section = 'Deploy tokens';
const active = { active: boolean().optional() };

/** Deploy tokens of projects and of groups are one resource on two paths. */
const deployTokenRoutesOf = (kind: ParentKind): Route[] => {
  const root = `/${kind}s/:id/deploy_tokens`;
  const administer = kind === 'group' ? ({ group: 'admin_group' } as const) : ({ project: 'admin_project' } as const);
  return [
    defineRoute({
      method: 'get',
      path: root,
      section,
      summary: `List the deploy tokens of a ${kind}`,
      access: administer,
      params: active,
      list: { orderBy: [] },
      returns: { 200: ['DeployToken'] },
      handle: ({ params, access, page, call }) =>
        call(DeployTokenServiceService).listDeployTokens({
          parent: parentOf(kind, access),
          page,
          active: params.active,
        }),
    }),
    defineRoute({
      method: 'post',
      path: root,
      section,
      summary: `Create a deploy token of a ${kind}`,
      docs: {
        description:
          'Create a token that belongs to no user: git takes it over HTTPS with its username, where it may read the repository. The reply is the only one that holds its value.',
        example: { name: 'cluster', scopes: ['read_repository'], username: 'cluster' },
      },
      access: administer,
      params: {
        name: documented(text(), oneLine),
        scopes: documented(manyOf(...deployScopes), { minItems: 1 }),
        expires_at: dateTime().optional(),
        username: documented(text(), { ...atMost(255), pattern: '^[A-Za-z0-9_+.-]*$' }).optional(),
      },
      returns: { 201: 'NewDeployToken' },
      handle: ({ params, access, call }) =>
        call(DeployTokenServiceService).createDeployToken({
          parent: parentOf(kind, access),
          name: params.name,
          scopes: params.scopes,
          expiresAt: params.expires_at,
          username: params.username ?? '',
        }),
    }),
    defineRoute({
      method: 'get',
      path: `${root}/:token_id`,
      section,
      summary: `Get a deploy token of a ${kind}`,
      access: administer,
      path_params: tokenPath,
      returns: { 200: 'DeployToken' },
      handle: ({ path, access, call }) =>
        call(DeployTokenServiceService).getDeployToken({ parent: parentOf(kind, access), tokenId: path.token_id }),
    }),
    defineRoute({
      method: 'delete',
      path: `${root}/:token_id`,
      section,
      summary: `Delete a deploy token of a ${kind}`,
      docs: { fails: [412] },
      access: administer,
      path_params: tokenPath,
      returns: { 204: undefined },
      handle: ({ path, access, unmodifiedSince, call }) =>
        call(DeployTokenServiceService).deleteDeployToken({
          parent: parentOf(kind, access),
          tokenId: path.token_id,
          ifUnmodifiedSince: unmodifiedSince,
        }),
    }),
  ];
};

/** Deploy tokens of the instance, of projects and of groups. */
export const deployTokenRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/deploy_tokens',
    section,
    summary: 'List the deploy tokens of the instance',
    access: 'admin',
    params: active,
    list: { orderBy: [] },
    returns: { 200: ['DeployToken'] },
    handle: ({ params, page, call }) =>
      call(DeployTokenServiceService).listAllDeployTokens({ page, active: params.active }),
  }),
  ...deployTokenRoutesOf('project'),
  ...deployTokenRoutesOf('group'),
];
