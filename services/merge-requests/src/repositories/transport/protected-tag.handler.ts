import type { PageInfo, PageRequest } from '@switchyard/database';
import { ProtectedTagServiceService } from '@switchyard/protos/merge_requests/v1/protected_tag';
import { entity, implement, nothing, page as pageOf, pageRequest } from '@switchyard/rpc';
import type { ManageProtectedTags } from '../application/manage-protected-tags';
import { protectedTagObject } from '../presenters/protected-tag.presenter';

/** gRPC side of protected tags. */
export const protectedTagHandler = (rules: ManageProtectedTags<PageRequest, PageInfo>) =>
  implement(ProtectedTagServiceService, {
    listProtectedTags: async ({ projectId, page }) => {
      const request = { ...pageRequest(page, { orderBy: 'name' }), sort: 'asc' as const };
      const { rows, page: info } = await rules.list(projectId, request);
      return pageOf(rows.map(protectedTagObject), { ...info, keyset: request.mode === 'keyset' });
    },
    getProtectedTag: async ({ projectId, name }) => entity(protectedTagObject(await rules.get(projectId, name))),
    createProtectedTag: async ({ projectId, ...rule }) =>
      entity(protectedTagObject(await rules.create(projectId, rule))),
    deleteProtectedTag: async ({ projectId, name, ifUnmodifiedSince }) => {
      await rules.remove(projectId, name, ifUnmodifiedSince);
      return nothing();
    },
  });
