import type { Area } from '@switchyard/service';
import type { KeepAvatar } from '../avatars';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { manageTopics } from './application/manage-topics';
import { topicStore } from './storage/topic.store';
import { topicHandler } from './transport/topic.handler';

/** Topics of projects. */
export function composeTopics(
  { config, db, observe }: Edges,
  directory: DirectoryWriter,
  keepAvatar: KeepAvatar,
): Area {
  const useCases = observe('topics', manageTopics({ topics: topicStore(db, directory), keepAvatar }));
  return { services: [topicHandler(useCases, config.SWITCHYARD_EXTERNAL_URL)] };
}
