import { invalidParams } from '@switchyard/errors';
import { TagServiceService } from '@switchyard/protos/merge_requests/v1/tag';
import { type CallContext, entity, implement, nothing } from '@switchyard/rpc';
import type { Tag } from '../../git';
import type { ManageTags } from '../application/manage-tags';
import { type TagRendering, tagObject } from '../presenters/tag.presenter';
import { actorOf, addressOf } from './repository-context';
import { placeOf, tokenPage } from './window';

const orders = { name: 'name', updated: 'updated', version: 'version' } as const;

/** Descriptions of the releases of tags, by the names of the tags; those without a release are left out. */
export type ReleaseNotes = (projectId: number, tags: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** gRPC side of tags. */
export const tagHandler = (tags: ManageTags, releaseNotes: ReleaseNotes, externalUrl: string) => {
  const renderingOf = async (projectId: number, shown: readonly Tag[]): Promise<TagRendering> => ({
    isProtected: await tags.protection(projectId),
    releases: await releaseNotes(
      projectId,
      shown.map(({ name }) => name),
    ),
  });
  const present = async (projectId: number, tag: Tag, context: CallContext) =>
    entity(tagObject(tag, addressOf(context, externalUrl), await renderingOf(projectId, [tag])));
  return implement(TagServiceService, {
    listTags: async ({ projectId, page, search }, context) => {
      const order = Object.hasOwn(orders, page?.orderBy ?? '') ? (page?.orderBy as keyof typeof orders) : undefined;
      if (page?.orderBy && order === undefined) throw invalidParams('order_by does not have a valid value');
      const found = await tags.list(projectId, {
        ...placeOf(page),
        sort: `${order ?? 'updated'}_${page?.descending ? 'desc' : 'asc'}`,
        search: search || undefined,
      });
      const address = addressOf(context, externalUrl);
      const rendering = await renderingOf(projectId, found.items);
      return tokenPage(
        found.items.map((tag) => tagObject(tag, address, rendering)),
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
