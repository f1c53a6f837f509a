import type { PageInfo, PageRequest } from '@switchyard/database';
import { ProtectedBranchServiceService } from '@switchyard/protos/merge_requests/v1/protected_branch';
import { entity, implement, nothing, page as pageOf, pageRequest } from '@switchyard/rpc';
import type { ManageProtectedBranches } from '../application/manage-protected-branches';
import { protectedBranchObject } from '../presenters/protected-branch.presenter';

/** gRPC side of protected branches. */
export const protectedBranchHandler = (rules: ManageProtectedBranches<PageRequest, PageInfo>) =>
  implement(ProtectedBranchServiceService, {
    listProtectedBranches: async ({ projectId, search, page }) => {
      const request = { ...pageRequest(page, { orderBy: 'name' }), sort: 'asc' as const };
      const { rows, page: info } = await rules.list(projectId, search, request);
      return pageOf(rows.map(protectedBranchObject), { ...info, keyset: request.mode === 'keyset' });
    },
    getProtectedBranch: async ({ projectId, name }) => entity(protectedBranchObject(await rules.get(projectId, name))),
    createProtectedBranch: async ({ projectId, ...rule }) =>
      entity(protectedBranchObject(await rules.create(projectId, rule))),
    updateProtectedBranch: async ({ projectId, name, ...change }) =>
      entity(protectedBranchObject(await rules.update(projectId, name, change))),
    deleteProtectedBranch: async ({ projectId, name, ifUnmodifiedSince }) => {
      await rules.remove(projectId, name, ifUnmodifiedSince);
      return nothing();
    },
  });
