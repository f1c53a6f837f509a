import {
  type CustomAttributeOwner,
  CustomAttributeServiceService,
} from '@switchyard/protos/groups_admin/v1/custom_attribute';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation } from '@switchyard/rpc';
import type { ManageCustomAttributes } from '../application/manage-custom-attributes';
import type { AttributeOwner, CustomAttribute } from '../domain/custom-attribute';

function ownerOf(owner: CustomAttributeOwner | undefined): AttributeOwner {
  const { userId = 0, groupId = 0, projectId = 0 } = owner ?? {};
  if (userId > 0) return { kind: 'user', id: userId };
  return groupId > 0 ? { kind: 'group', id: groupId } : { kind: 'project', id: projectId };
}

const present = ({ key, value }: CustomAttribute): CustomAttribute => ({ key, value });

/** CustomAttributeService. */
export const customAttributeHandler = (attributes: ManageCustomAttributes): ServiceImplementation =>
  implement(CustomAttributeServiceService, {
    listCustomAttributes: async (request) => {
      const asked = fixedOrder(request.page, 'id', 'asc');
      const { rows, page: info } = await attributes.list(ownerOf(request.owner), asked);
      return page(rows.map(present), { ...info, keyset: asked.mode === 'keyset' });
    },
    getCustomAttribute: async ({ owner, key }) => entity(present(await attributes.get(ownerOf(owner), key))),
    setCustomAttribute: async ({ owner, key, value }) =>
      entity(present(await attributes.set(ownerOf(owner), { key, value }))),
    deleteCustomAttribute: async ({ owner, key, ifUnmodifiedSince }) => {
      await attributes.remove(ownerOf(owner), key, ifUnmodifiedSince);
      return nothing(204);
    },
  });
