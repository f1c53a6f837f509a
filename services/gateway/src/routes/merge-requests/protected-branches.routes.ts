import { ProtectedBranchServiceService } from '@switchyard/protos/merge_requests/v1/protected_branch';
import { boolean, oneOfIntegers, text } from '../../http/params';
import { defineRoute } from '../../http/route';

const name = { name: text() };
const level = () => oneOfIntegers(0, 30, 40, 60).optional();
const levels = { push_access_level: level(), merge_access_level: level() };

/** Protected branches (G §10 Protected branches). */
export const protectedBranchRoutes = [
  defineRoute({
    method: 'get',
    path: '/projects/:id/protected_branches',
    section: 'Protected branches',
    summary: 'List protected branches',
    access: { project: 'read_protected_branch' },
    params: { search: text().optional() },
    list: { orderBy: [] },
    returns: { 200: ['ProtectedBranch'] },
    handle: ({ params, access, page, call }) =>
      call(ProtectedBranchServiceService).listProtectedBranches({
        projectId: access.id,
        page: { ...page, orderBy: 'name' },
        search: params.search ?? '',
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/protected_branches',
    section: 'Protected branches',
    summary: 'Protect branches',
    docs: {
      description: 'Protect a branch, or with `*` in the name every branch that fits.',
      fails: [409],
      example: { name: 'release/*', push_access_level: 40, merge_access_level: 30 },
    },
    access: { project: 'admin_protected_branch' },
    params: { name: text({ notEmpty: true }), ...levels, allow_force_push: boolean().optional() },
    returns: { 201: 'ProtectedBranch' },
    handle: ({ params, access, call }) =>
      call(ProtectedBranchServiceService).createProtectedBranch({
        projectId: access.id,
        name: params.name,
        pushAccessLevel: params.push_access_level,
        mergeAccessLevel: params.merge_access_level,
        allowForcePush: params.allow_force_push ?? false,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/protected_branches/:name',
    section: 'Protected branches',
    summary: 'Get a protected branch',
    access: { project: 'read_protected_branch' },
    path_params: name,
    returns: { 200: 'ProtectedBranch' },
    handle: ({ path, access, call }) =>
      call(ProtectedBranchServiceService).getProtectedBranch({ projectId: access.id, name: path.name }),
  }),
  defineRoute({
    method: 'patch',
    path: '/projects/:id/protected_branches/:name',
    section: 'Protected branches',
    summary: 'Update a protected branch',
    docs: { example: { allow_force_push: false } },
    access: { project: 'admin_protected_branch' },
    path_params: name,
    params: { ...levels, allow_force_push: boolean().optional() },
    returns: { 200: 'ProtectedBranch' },
    handle: ({ path, params, access, call }) =>
      call(ProtectedBranchServiceService).updateProtectedBranch({
        projectId: access.id,
        name: path.name,
        allowForcePush: params.allow_force_push,
        pushAccessLevel: params.push_access_level,
        mergeAccessLevel: params.merge_access_level,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: '/projects/:id/protected_branches/:name',
    section: 'Protected branches',
    summary: 'Unprotect branches',
    docs: { fails: [412] },
    access: { project: 'admin_protected_branch' },
    path_params: name,
    returns: { 204: undefined },
    handle: ({ path, access, unmodifiedSince, call }) =>
      call(ProtectedBranchServiceService).deleteProtectedBranch({
        projectId: access.id,
        name: path.name,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
];
