import { invalidParams } from '@switchyard/errors';
import { TagServiceService } from '@switchyard/protos/merge_requests/v1/tag';
import { type CallContext, entity, implement, nothing } from '@switchyard/rpc';
import type { Tag } from '../../git';
import type { ManageTags } from '../application/manage-tags';
import { tagObject } from '../presenters/tag.presenter';
import { actorOf, addressOf } from './repository-context';
import { placeOf, tokenPage } from './window';

const orders = { name: 'name', updated: 'updated', version: 'version' } as const;

/** gRPC side of tags. */
export const tagHandler = (tags: ManageTags, externalUrl: string) => {
  const present = async (projectId: number, tag: Tag, context: CallContext) =>
    entity(tagObject(tag, addressOf(context, externalUrl), await tags.protection(projectId)));
  return implement(TagServiceService, {
    listTags: async ({ projectId, page, search }, context) => {
      const order = Object.hasOwn(orders, page?.orderBy ?? '') ? (page?.orderBy as keyof typeof orders) : undefined;
      if (page?.orderBy && order === undefined) throw invalidParams('order_by does not have a valid value');
      const isProtected = await tags.protection(projectId);
      const found = await tags.list(projectId, {
        ...placeOf(page),
        sort: `${order ?? 'updated'}_${page?.descending ? 'desc' : 'asc'}`,
        search: search || undefined,
      });
      const address = addressOf(context, externalUrl);
      return tokenPage(
        found.items.map((tag) => tagObject(tag, address, isProtected)),
        page,
        found,
      );
    },
    getTag: async ({ projectId, tagName }, context) => present(projectId, await tags.get(projectId, tagName), context),
    createTag: async ({ projectId, tagName, ref, message }, context) => {
      const tag = await tags.create(projectId, actorOf(context), { name: tagName, ref, message });
      return present(projectId, tag, context);
    },
    deleteTag: async ({ projectId, tagName }, context) => {
      await tags.remove(projectId, actorOf(context), tagName);
      return nothing();
    },
  });
};
