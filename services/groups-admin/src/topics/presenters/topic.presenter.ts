import { avatarUrl } from '@switchyard/directory';
import type { TopicRow } from '../domain/topic';

/** A topic (api.md 2, Topic). */
export const presentTopic = (topic: TopicRow, externalUrl: string) => ({
  id: topic.id,
  name: topic.name,
  title: topic.title,
  description: topic.description,
  total_projects_count: topic.total_projects_count,
  organization_id: 1,
  avatar_url: avatarUrl(topic.avatar_url, externalUrl),
});
