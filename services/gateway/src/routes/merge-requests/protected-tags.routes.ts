import { ProtectedTagServiceService } from '@switchyard/protos/merge_requests/v1/protected_tag';
import { oneOfIntegers, text } from '../../http/params';
import { defineRoute } from '../../http/route';

const name = { name: text() };

/** Protected tags. */
export const protectedTagRoutes = [
  defineRoute({
    method: 'get',
    path: '/projects/:id/protected_tags',
    section: 'Protected tags',
    summary: 'List protected tags',
    access: { project: 'read_protected_branch' },
    list: { orderBy: [] },
    returns: { 200: ['ProtectedTag'] },
    handle: ({ access, page, call }) =>
      call(ProtectedTagServiceService).listProtectedTags({
        projectId: access.id,
        page: { ...page, orderBy: 'name' },
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/protected_tags',
    section: 'Protected tags',
    summary: 'Protect tags',
    docs: {
      description:
        'Protect a tag, or with `*` in the name every tag that fits: only who reaches the level creates it, no push moves it, and only Maintainers delete it, by the API.',
      fails: [422],
      example: { name: 'v*', create_access_level: 40 },
    },
    access: { project: 'admin_protected_branch' },
    params: { name: text({ notEmpty: true }), create_access_level: oneOfIntegers(0, 30, 40, 60).optional() },
    returns: { 201: 'ProtectedTag' },
    handle: ({ params, access, call }) =>
      call(ProtectedTagServiceService).createProtectedTag({
        projectId: access.id,
        name: params.name,
        createAccessLevel: params.create_access_level,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/protected_tags/:name',
    section: 'Protected tags',
    summary: 'Get a protected tag',
    access: { project: 'read_protected_branch' },
    path_params: name,
    returns: { 200: 'ProtectedTag' },
    handle: ({ path, access, call }) =>
      call(ProtectedTagServiceService).getProtectedTag({ projectId: access.id, name: path.name }),
  }),
  defineRoute({
    method: 'delete',
    path: '/projects/:id/protected_tags/:name',
    section: 'Protected tags',
    summary: 'Unprotect tags',
    docs: { fails: [412] },
    access: { project: 'admin_protected_branch' },
    path_params: name,
    returns: { 204: undefined },
    handle: ({ path, access, unmodifiedSince, call }) =>
      call(ProtectedTagServiceService).deleteProtectedTag({
        projectId: access.id,
        name: path.name,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
];
