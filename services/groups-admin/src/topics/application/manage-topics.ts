import type { PageInfo, PageRequest } from '@switchyard/database';
import { invalid, notFound } from '@switchyard/errors';
import type { KeepAvatar, StoredAvatar } from '../../avatars';
import {
  checkTopic,
  type NewTopic,
  type TopicChange,
  type TopicFacts,
  type TopicFilter,
  type TopicRow,
} from '../domain/topic';

/** Topics in the database; each change is one transaction. */
export interface TopicStore {
  list(filter: TopicFilter, request: PageRequest): Promise<{ rows: TopicRow[]; page: PageInfo }>;
  find(id: number): Promise<TopicRow | undefined>;
  /**
   * Inserts what `decide` makes of the facts; returns the id.
   * @throws AppError invalid for a taken name; what `decide` throws
   */
  create(
    request: { readonly name: string; readonly avatar: StoredAvatar | null | undefined },
    decide: (facts: TopicFacts) => NewTopic,
  ): Promise<number>;
  /**
   * Locks a topic and saves what `decide` makes of the facts; false when there is no such topic.
   * @throws AppError invalid for a taken name; what `decide` throws
   */
  change(
    request: {
      readonly id: number;
      readonly name: string | undefined;
      readonly avatar: StoredAvatar | null | undefined;
    },
    decide: (facts: TopicFacts) => TopicChange,
  ): Promise<boolean>;
  /** Deletes a topic and its assignments; false when there is none. @throws AppError precondition_failed */
  delete(id: number, unmodifiedSince: Date | undefined): Promise<boolean>;
  /** Moves the projects of a topic to another one and deletes the first; false when one of them is missing. */
  merge(sourceId: number, targetId: number): Promise<boolean>;
}

/** Use cases of topics (api.md 4.16). The gateway decides who may call: changes are for administrators. */
export const manageTopics = ({ topics, keepAvatar }: { topics: TopicStore; keepAvatar: KeepAvatar }) => {
  const get = async (id: number): Promise<TopicRow> => {
    const topic = await topics.find(id);
    if (topic === undefined) throw notFound();
    return topic;
  };

  return {
    list: (filter: TopicFilter, request: PageRequest) => topics.list(filter, request),

    /** @throws AppError not_found `404 Not found` */
    get,

    /** @throws AppError invalid with texts by field (G-4.16-1) */
    async create(topic: NewTopic): Promise<TopicRow> {
      const id = await keepAvatar(topic.avatar, (avatar) =>
        topics.create({ name: topic.name, avatar }, (facts) => checkTopic(topic, facts)),
      );
      return get(id);
    },

    /** @throws AppError invalid with texts by field; not_found (G-4.16-2) */
    async update(id: number, change: TopicChange): Promise<TopicRow> {
      const found = await keepAvatar(change.avatar, (avatar) =>
        topics.change({ id, name: change.name, avatar }, (facts) => checkTopic(change, facts)),
      );
      if (!found) throw notFound();
      return get(id);
    },

    /** @throws AppError not_found; precondition_failed (G-4.16-3) */
    async delete(id: number, unmodifiedSince: Date | undefined): Promise<void> {
      if (!(await topics.delete(id, unmodifiedSince))) throw notFound();
    },

    /** @throws AppError invalid for one and the same topic; not_found (G-4.16-4) */
    async merge(sourceId: number, targetId: number): Promise<TopicRow> {
      if (sourceId === targetId) throw invalid('The source topic and the target topic are identical.');
      if (!(await topics.merge(sourceId, targetId))) throw notFound();
      return get(targetId);
    },
  };
};
