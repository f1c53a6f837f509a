import { workOff } from '@switchyard/background';
import { invalidParams, notFound } from '@switchyard/errors';
import { type ForeignPerson, maxForeignId, type NewPlaceholder, placeholderOf } from '../domain/placeholder-user';
import { publishDeletion, type UserStore } from './users';

/** Placeholder users in the database. */
export interface PlaceholderStore {
  /** Makes the one of a person, once; undefined for a project that is gone. */
  create(one: NewPlaceholder): Promise<number | undefined>;
  /** Directory sequence that has been reached. */
  directorySequence(): Promise<number>;
  /** Whether a user is a placeholder of a project. */
  isOf(userId: number, projectId: number): Promise<boolean>;
  /** Those with ids above `after` whose project was purged, ascending, at most `limit`. */
  orphans(after: number, limit: number): Promise<{ readonly id: number }[]>;
}

/** Users who stand for people of other forges. */
export function placeholderUsers(store: PlaceholderStore, { delete: remove }: Pick<UserStore, 'delete'>) {
  const removeUser = (userId: number): Promise<boolean> =>
    remove(userId, 0, (user, tx, ghostId) => publishDeletion(tx, { user, actorId: 0, ghostId, hard: false }), {
      hard: false,
    });
  return {
    /** Makes the user who stands for a person, once. @throws AppError not_found for the project; invalid_params */
    async create(person: ForeignPerson) {
      const { foreignId } = person;
      if (foreignId === '' || foreignId.length > maxForeignId) throw invalidParams('foreign_id is invalid');
      const userId = await store.create(placeholderOf(person));
      if (userId === undefined) throw notFound('Project');
      return { userId, directorySequence: await store.directorySequence() };
    },

    /** Removes a placeholder of a project; nothing happens for anybody else. */
    async remove(projectId: number, userId: number): Promise<void> {
      if (await store.isOf(userId, projectId)) await removeUser(userId);
    },

    /** Removes those of projects that were purged. */
    removeOrphans: (stopping: AbortSignal): Promise<unknown> =>
      workOff(
        'placeholder users of purged projects',
        { next: store.orphans, work: ({ id }) => removeUser(id) },
        stopping,
      ),
  };
}

/** What `placeholderUsers` gives. */
export type PlaceholderUsers = ReturnType<typeof placeholderUsers>;
