import { AccessRequestServiceService } from '@switchyard/protos/groups_admin/v1/access_request';
import { levels } from '@switchyard/rights';
import { integer } from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { accessLevel } from './members.routes';
import { type ParentKind, parentOf } from './parents';

const section = 'Access requests';
const user = { user_id: integer() };

/** Access requests of groups and of projects are one resource on two paths. */
const accessRequestRoutesOf = (kind: ParentKind): Route[] => {
  const root = `/${kind}s/:id/access_requests`;
  const administer =
    kind === 'group' ? ({ group: 'admin_group_member' } as const) : ({ project: 'admin_project_member' } as const);
  // Every user who sees the group or project. The service decides on the rest.
  const request = kind === 'group' ? ({ group: 'read_group' } as const) : ({ project: 'read_project' } as const);
  // Users may withdraw their own. The service decides which others a caller may deny.
  const end = kind === 'group' ? ({ group: 'leave_group' } as const) : ({ project: 'leave_project' } as const);
  return [
    defineRoute({
      method: 'get',
      path: root,
      section,
      summary: `List the access requests of a ${kind}`,
      access: administer,
      list: {},
      returns: { 200: ['AccessRequest'] },
      handle: ({ access, page, call }) =>
        call(AccessRequestServiceService).listAccessRequests({ source: parentOf(kind, access), page }),
    }),
    defineRoute({
      method: 'post',
      path: root,
      section,
      summary: `Request access to a ${kind}`,
      docs: { description: `Ask to become a member of a ${kind}. Members, and users who wait already, are refused.` },
      access: request,
      returns: { 201: 'AccessRequest' },
      handle: ({ access, call }) =>
        call(AccessRequestServiceService).createAccessRequest({ source: parentOf(kind, access) }),
    }),
    defineRoute({
      method: 'put',
      path: `${root}/:user_id/approve`,
      section,
      summary: `Approve an access request of a ${kind}`,
      docs: { fails: [405, 409], example: { access_level: 30 } },
      access: administer,
      path_params: user,
      params: { access_level: accessLevel().default(levels.developer) },
      returns: { 201: 'Member' },
      handle: ({ access, path, params, call }) =>
        call(AccessRequestServiceService).approveAccessRequest({
          source: parentOf(kind, access),
          userId: path.user_id,
          accessLevel: params.access_level,
        }),
    }),
    defineRoute({
      method: 'delete',
      path: `${root}/:user_id`,
      section,
      summary: `Deny an access request of a ${kind}, or withdraw your own`,
      access: end,
      path_params: user,
      returns: { 204: undefined },
      handle: ({ access, path, call }) =>
        call(AccessRequestServiceService).deleteAccessRequest({ source: parentOf(kind, access), userId: path.user_id }),
    }),
  ];
};

export const accessRequestRoutes = [...accessRequestRoutesOf('group'), ...accessRequestRoutesOf('project')];
