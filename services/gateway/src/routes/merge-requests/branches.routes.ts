import { BranchServiceService } from '@switchyard/protos/merge_requests/v1/branch';
import { documented, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { refName } from '../field-facts';

const branch = { branch: text() };

/** Branches of a repository (G §10 Repository). */
export const branchRoutes = [
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/branches',
    section: 'Branches',
    summary: 'List branches',
    access: { project: 'read_code' },
    tokens: ['job'],
    params: {
      search: text().optional(),
      regex: text().optional(),
      page_token: text().optional(),
      sort: oneOf('name_asc', 'updated_asc', 'updated_desc').optional(),
    },
    list: { orderBy: [], keysetParameters: (cursor) => ({ page_token: cursor }) },
    returns: { 200: ['Branch'] },
    handle: ({ params, access, page, call }) =>
      call(BranchServiceService).listBranches({
        projectId: access.id,
        page: {
          ...page,
          cursor: params.page_token ?? page.cursor,
          orderBy: params.sort?.startsWith('updated') ? 'updated' : 'name',
          descending: params.sort === 'updated_desc',
        },
        search: params.search ?? '',
        regex: params.regex ?? '',
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/repository/branches',
    section: 'Branches',
    summary: 'Create a branch',
    docs: { fails: [409, 422], example: { branch: 'fix-login', ref: 'main' } },
    access: { project: 'push_code' },
    params: { branch: documented(text(), refName), ref: text() },
    returns: { 201: 'Branch' },
    handle: ({ params, access, call }) =>
      call(BranchServiceService).createBranch({ projectId: access.id, branch: params.branch, ref: params.ref }),
  }),
  defineRoute({
    method: 'delete',
    path: '/projects/:id/repository/merged_branches',
    section: 'Branches',
    summary: 'Delete merged branches',
    docs: {
      description:
        'Delete the branches that are merged into the default branch, but not the protected ones; in the background.',
    },
    access: { project: 'push_code' },
    returns: { 202: 'MergedBranchesAccepted' },
    handle: ({ access, call }) => call(BranchServiceService).deleteMergedBranches({ projectId: access.id }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/repository/branches/:branch',
    section: 'Branches',
    summary: 'Get a branch',
    access: { project: 'read_code' },
    tokens: ['job'],
    path_params: branch,
    returns: { 200: 'Branch' },
    handle: ({ path, access, call }) =>
      call(BranchServiceService).getBranch({ projectId: access.id, branch: path.branch }),
  }),
  defineRoute({
    method: 'delete',
    path: '/projects/:id/repository/branches/:branch',
    section: 'Branches',
    summary: 'Delete a branch',
    docs: { fails: [405, 409, 422] },
    access: { project: 'push_code' },
    path_params: branch,
    returns: { 204: undefined },
    handle: ({ path, access, call }) =>
      call(BranchServiceService).deleteBranch({ projectId: access.id, branch: path.branch }),
  }),
];
