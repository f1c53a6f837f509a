import type { PageInfo, PageRequest } from '@switchyard/database';
import { badRequest, forbidden, notFound } from '@switchyard/errors';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { isInternalUser, refuse } from '../../rules';
import type { FollowRow, ProfileFacts, UserActivity } from '../domain/user-profile';
import { changeStatus, type StatusChange, statusProblems, type UserStatus } from '../domain/user-status';

/** Users whom one user may follow. */
const maxFollowing = 300;

/** Statuses, follows and activities in the database. */
export interface UserProfileStore {
  /** A user by id when in digits, else by username. */
  find(idOrUsername: string): Promise<ProfileFacts | undefined>;
  /** The status of a user; undefined for none, and once its time is over at `now`. */
  status(userId: number, now: Date): Promise<UserStatus | undefined>;
  /** Locks a user, lets `decide` choose the status, and saves it; undefined removes it. */
  changeStatus(
    userId: number,
    now: Date,
    decide: (before: UserStatus | undefined) => UserStatus | undefined,
  ): Promise<void>;
  /**
   * Makes a user follow another one; `known` when they do already, `full` when they follow `limit` users, `missing` when
   * one of them was deleted in the meantime.
   */
  follow(followerId: number, followedId: number, limit: number): Promise<'made' | 'known' | 'full' | 'missing'>;
  /** False when they did not follow. */
  unfollow(followerId: number, followedId: number): Promise<boolean>;
  follows(userId: number, following: boolean, request: PageRequest): Promise<{ rows: FollowRow[]; page: PageInfo }>;
  /** @param from `YYYY-MM-DD` */
  activities(from: string, request: PageRequest): Promise<{ rows: UserActivity[]; page: PageInfo }>;
  memberships(userId: number): Promise<{ groups: number; projects: number }>;
}

/** Builds the use cases of profiles (see `UserProfileService` for the failures). */
export function userProfiles(store: UserProfileStore, clock: () => Date) {
  const find = async (idOrUsername: string): Promise<ProfileFacts> => {
    const user = await store.find(idOrUsername);
    if (user === undefined) throw notFound('User');
    return user;
  };

  return {
    async status(idOrUsername: string, actor: Actor): Promise<UserStatus | undefined> {
      const userId = idOrUsername === '' ? actor.userId : (await find(idOrUsername)).id;
      return store.status(userId, clock());
    },

    async setStatus(change: StatusChange, actor: Actor): Promise<UserStatus | undefined> {
      refuse(statusProblems(change));
      const now = clock();
      await store.changeStatus(actor.userId, now, (before) => changeStatus(before, change, now));
      return store.status(actor.userId, now);
    },

    /** The user who is followed now; undefined when they were before. */
    async follow(userId: number, actor: Actor): Promise<ProfileFacts | undefined> {
      const user = await find(String(userId));
      if (user.id === actor.userId || isInternalUser(user.user_type)) throw badRequest('This user cannot be followed');
      const outcome = await store.follow(actor.userId, user.id, maxFollowing);
      if (outcome === 'missing') throw notFound('User');
      if (outcome === 'full') throw badRequest(`You can't follow more than ${maxFollowing} users`);
      return outcome === 'made' ? user : undefined;
    },

    /** The user who is followed no longer; undefined when they were not. */
    async unfollow(userId: number, actor: Actor): Promise<ProfileFacts | undefined> {
      const user = await find(String(userId));
      return (await store.unfollow(actor.userId, user.id)) ? user : undefined;
    },

    async follows(userId: number, following: boolean, request: PageRequest, actor: Actor) {
      const user = await find(String(userId));
      if (user.private_profile && !actor.admin && user.id !== actor.userId) throw forbidden('Not authorized!');
      return store.follows(user.id, following, request);
    },

    activities: (from: string, request: PageRequest) => store.activities(from, request),

    async memberships(userId: number, actor: Actor): Promise<{ groups: number; projects: number }> {
      const user = await find(String(userId));
      if (!actor.admin && user.id !== actor.userId) throw forbidden();
      return store.memberships(user.id);
    },
  };
}

/** What `userProfiles` gives. */
export type UserProfiles = ReturnType<typeof userProfiles>;
