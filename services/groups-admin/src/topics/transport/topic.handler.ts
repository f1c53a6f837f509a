import { TopicServiceService, type TopicSettings } from '@switchyard/protos/groups_admin/v1/topic';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation } from '@switchyard/rpc';
import { toAvatarChange } from '../../avatars';
import { given } from '../../wire';
import type { manageTopics } from '../application/manage-topics';
import type { TopicRow } from '../domain/topic';
import { presentTopic } from '../presenters/topic.presenter';

const toChange = ({ name, title, description, avatar }: Partial<TopicSettings> = {}) => ({
  name,
  title,
  description,
  avatar: toAvatarChange(avatar),
});

/** TopicService. */
export const topicHandler = (topics: ReturnType<typeof manageTopics>, externalUrl: string): ServiceImplementation => {
  const present = (topic: TopicRow) => presentTopic(topic, externalUrl);
  return implement(TopicServiceService, {
    listTopics: async ({ page: wanted, search, withoutProjects, organizationId }) => {
      const asked = fixedOrder(wanted, 'projects', 'asc');
      const filter = { search: given(search), withoutProjects, organizationId };
      const { rows, page: info } = await topics.list(filter, asked);
      return page(rows.map(present), { ...info, keyset: asked.mode === 'keyset' });
    },

    getTopic: async ({ topicId }) => entity(present(await topics.get(topicId))),

    createTopic: async ({ settings }) => {
      const change = toChange(settings);
      return entity(present(await topics.create({ ...change, name: change.name ?? '', title: change.title ?? '' })));
    },

    updateTopic: async ({ topicId, settings }) => entity(present(await topics.update(topicId, toChange(settings)))),

    deleteTopic: async ({ topicId, ifUnmodifiedSince }) => {
      await topics.delete(topicId, ifUnmodifiedSince);
      return nothing();
    },

    mergeTopics: async ({ sourceTopicId, targetTopicId }) =>
      entity(present(await topics.merge(sourceTopicId, targetTopicId))),
  });
};
