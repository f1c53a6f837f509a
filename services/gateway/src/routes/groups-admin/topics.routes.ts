import { TopicServiceService, type TopicSettings } from '@switchyard/protos/groups_admin/v1/topic';
import type { z } from 'zod';
import { boolean, documented, integer, nullable, onlyDefault, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, oneLine } from '../field-facts';
import { avatar, avatarChange } from './avatars.routes';

const topic = { id: integer({ min: 0 }) };

const settings = {
  name: documented(text(), oneLine).optional(),
  title: documented(text(), oneLine).optional(),
  description: documented(nullable(text()), atMost(1_024)).optional(),
  avatar: avatar(),
};

const toSettings = (given: z.infer<z.ZodObject<typeof settings>>): TopicSettings => ({
  name: given.name,
  title: given.title,
  description: given.description === null ? '' : given.description,
  avatar: avatarChange(given.avatar),
});

/** Topics (api.md 4.16, G-4.16-1 … G-4.16-6). */
export const topicRoutes = [
  defineRoute({
    method: 'get',
    path: '/topics',
    section: 'Topics',
    summary: 'List topics',
    docs: {
      description:
        'List topics, those of the most projects that are not private first; with `search` the most similar first.',
    },
    access: 'public',
    params: {
      search: text().optional(),
      without_projects: boolean().default(false),
      organization_id: integer({ min: 0 }).default(1),
    },
    list: {},
    returns: { 200: ['Topic'] },
    handle: ({ params, page, call }) =>
      call(TopicServiceService).listTopics({
        page,
        search: params.search ?? '',
        withoutProjects: params.without_projects,
        organizationId: params.organization_id,
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/topics/:id',
    section: 'Topics',
    summary: 'Get a topic',
    access: 'public',
    path_params: topic,
    returns: { 200: 'Topic' },
    handle: ({ path, call }) => call(TopicServiceService).getTopic({ topicId: path.id }),
  }),
  defineRoute({
    method: 'post',
    path: '/topics',
    section: 'Topics',
    summary: 'Create a topic',
    docs: { example: { name: 'steam', title: 'Steam engines' } },
    access: 'admin',
    params: {
      ...settings,
      name: documented(text(), oneLine),
      title: documented(text(), oneLine),
      organization_id: onlyDefault(integer({ min: 0 }), 1).optional(),
    },
    returns: { 201: 'Topic' },
    handle: ({ params, call }) => call(TopicServiceService).createTopic({ settings: toSettings(params) }),
  }),
  defineRoute({
    method: 'post',
    path: '/topics/merge',
    section: 'Topics',
    summary: 'Merge two topics',
    docs: {
      description: 'Move the projects of one topic to another and delete the first.',
      example: { source_topic_id: 5, target_topic_id: 6 },
    },
    access: 'admin',
    params: { source_topic_id: integer({ min: 0 }), target_topic_id: integer({ min: 0 }) },
    returns: { 201: 'Topic' },
    handle: ({ params, call }) =>
      call(TopicServiceService).mergeTopics({
        sourceTopicId: params.source_topic_id,
        targetTopicId: params.target_topic_id,
      }),
  }),
  defineRoute({
    method: 'put',
    path: '/topics/:id',
    section: 'Topics',
    summary: 'Change a topic',
    docs: { example: { title: 'Steam engines' } },
    access: 'admin',
    path_params: topic,
    params: settings,
    returns: { 200: 'Topic' },
    handle: ({ path, params, call }) =>
      call(TopicServiceService).updateTopic({ topicId: path.id, settings: toSettings(params) }),
  }),
  defineRoute({
    method: 'delete',
    path: '/topics/:id',
    section: 'Topics',
    summary: 'Delete a topic',
    docs: { description: 'Delete a topic, and take it off its projects.', fails: [412] },
    access: 'admin',
    path_params: topic,
    returns: { 204: undefined },
    handle: ({ path, unmodifiedSince, call }) =>
      call(TopicServiceService).deleteTopic({ topicId: path.id, ifUnmodifiedSince: unmodifiedSince }),
  }),
];
