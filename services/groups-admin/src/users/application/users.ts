import { type PageInfo, type PageRequest, requireUnmodified, type Tx } from '@switchyard/database';
import { conflict, forbidden, invalid, notFound } from '@switchyard/errors';
import { appendToOutbox, userBlockedId, userDeletedId, userEvents } from '@switchyard/events';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { displayText } from '@switchyard/texts';
import { type AvatarChange, avatarProblems, type KeepAvatar, type StoredAvatar } from '../../avatars';
import { isInternalUser, note, type Problems, refuse } from '../../rules';
import { type CurrentSettings, emailRefusals, type InstanceSettings } from '../../settings';
import { changeState, profileProblems, type StateChange, type UserState, userProblems } from '../domain/user';
import type { LockedUser, UserFilter, UserRow } from '../domain/user-row';
import { hashPassword } from './password';

/** What can be set on a user; undefined keeps the value. */
export interface UserFields {
  email?: string;
  name?: string;
  username?: string;
  password?: string;
  admin?: boolean;
  external?: boolean;
  projectsLimit?: number;
  canCreateGroup?: boolean;
  privateProfile?: boolean;
  bio?: string;
  location?: string;
  skype?: string;
  linkedin?: string;
  twitter?: string;
  discord?: string;
  github?: string;
  websiteUrl?: string;
  organization?: string;
  jobTitle?: string;
  pronouns?: string;
  publicEmail?: string;
  commitEmail?: string;
  note?: string;
  themeId?: number;
  colorSchemeId?: number;
  sharedRunnersMinutesLimit?: number;
  extraSharedRunnersMinutesLimit?: number;
  avatar?: AvatarChange;
}

/** A user as it is stored: the password as its digest. */
type StoredFields = Omit<UserFields, 'password' | 'avatar'> & { passwordDigest?: string };

/** A user to insert. */
type NewUser = StoredFields & {
  email: string;
  name: string;
  username: string;
  userType?: 'service_account';
  serviceAccountGroupId?: bigint | undefined;
  createdById: bigint;
  confirmedAt: Date | undefined;
};

/** Who changes a user, when, and whether a new e-mail needs no confirmation. */
interface UserChange {
  readonly actorId: number;
  readonly at: Date;
  readonly skipReconfirmation: boolean;
  /** Undefined keeps it, null removes it. */
  readonly avatar: StoredAvatar | null | undefined;
}

/** Users in the database; each change is one transaction with its events. `viewerId` 0: an anonymous viewer. */
export interface UserStore {
  find(userId: number, viewerId: number, options?: { withCustomAttributes?: boolean }): Promise<UserRow | undefined>;
  list(filter: UserFilter, request: PageRequest, viewerId: number): Promise<{ rows: UserRow[]; page: PageInfo }>;
  /** Which of an e-mail and a username belong to another user than `userId`. */
  taken(
    fields: { readonly email?: string | undefined; readonly username?: string | undefined },
    userId: number,
  ): Promise<{ email: boolean; username: boolean }>;
  /**
   * Makes the user and their namespace, with the request to confirm the e-mail where it is not; returns the id.
   * @throws AppError conflict for a taken e-mail or username; invalid for an e-mail that is not the user's
   */
  create(user: NewUser, change: Omit<UserChange, 'skipReconfirmation'>): Promise<number>;
  /**
   * Changes a user and, with the username, the namespace; false when there is no such user. A new e-mail waits for its
   * confirmation. @throws AppError as in `create`
   */
  update(userId: number, fields: StoredFields, change: UserChange): Promise<boolean>;
  /**
   * Locks a user, lets `decide` choose the new state, saves it and what `decide` appends; false when there is no such
   * user.
   */
  changeState(userId: number, decide: (user: LockedUser, tx: Tx) => Promise<string | undefined>): Promise<boolean>;
  /**
   * Deletes a user: memberships, stars and tokens go, the namespace is marked for deletion and frees its path, a
   * tombstone points at the ghost (D5). `check` may refuse under the lock; what it appends commits with the deletion.
   * With `hard` the purge of the namespace does not wait for the delay. False when there is no such user.
   */
  delete(
    userId: number,
    deletedById: number,
    check: (user: LockedUser & { soleOwner: boolean }, tx: Tx, ghostId: number) => Promise<void>,
    options: { readonly hard: boolean },
  ): Promise<boolean>;
  /**
   * Blocks a user and queues the deletion of them and of what they wrote; false when there is no such user. A second
   * request changes nothing. `check` may refuse under the lock.
   */
  requestHardDeletion(
    userId: number,
    actorId: number,
    check: (user: LockedUser, tx: Tx) => Promise<void>,
  ): Promise<boolean>;
}

/**
 * Deletes a user (D5): the ghost stands in for them; with `hard`, what they wrote is deleted, and groups that they alone
 * own, in the background. It is the one way by which bots and service accounts go as well.
 * @throws AppError not_found; conflict while the user is the only Owner of a group, unless `hard`; forbidden for a user
 * of the instance itself; precondition_failed
 */
export type DeleteUser = (
  userId: number,
  actor: Pick<Actor, 'userId'>,
  options?: { readonly hard?: boolean; readonly unmodifiedSince?: Date | undefined },
) => Promise<void>;

/** Use cases of users (G §10 Users). The gateway decides who may call: changes are for administrators. */
export type Users = {
  /** @throws AppError not_found `404 User Not Found` */
  get(userId: number, viewer: Pick<Actor, 'userId'>, options?: { withCustomAttributes?: boolean }): Promise<UserRow>;
  list(
    filter: UserFilter,
    request: PageRequest,
    viewer: Pick<Actor, 'userId'>,
  ): Promise<{ rows: UserRow[]; page: PageInfo }>;
  /** @throws AppError invalid with texts by field; conflict for a taken e-mail or username */
  create(fields: UserFields, options: { confirmed: boolean }, actor: Actor): Promise<UserRow>;
  /** @throws AppError as in `create`; not_found */
  update(
    userId: number,
    fields: UserFields,
    options: { readonly skipReconfirmation: boolean },
    actor: Actor,
  ): Promise<UserRow>;
  readonly delete: DeleteUser;
  /** False when the user already was in that state. @throws AppError not_found; forbidden with the reason */
  changeState(userId: number, change: StateChange, actor: Actor): Promise<boolean>;
};

function refuseProblems(fields: UserFields, rules: InstanceSettings, presentEmail?: string): void {
  const { bio, location, skype, linkedin, twitter, discord, github, organization, pronouns } = fields;
  const texts = { bio, location, skype, linkedin, twitter, discord, github, organization, pronouns };
  const problems: Problems = {
    ...userProblems(fields, rules.minimum_password_length),
    ...profileProblems({ ...texts, website_url: fields.websiteUrl, job_title: fields.jobTitle }),
  };
  if (fields.email !== undefined && fields.email.toLowerCase() !== presentEmail?.toLowerCase())
    note(problems, 'email', emailRefusals(fields.email, rules));
  note(problems, 'avatar', avatarProblems(fields.avatar));
  refuse(problems);
}

/** Fields as they are stored: a password as its digest. */
async function stored({ password, avatar: _, ...fields }: UserFields): Promise<StoredFields> {
  const name = fields.name === undefined ? {} : { name: displayText(fields.name) };
  return { ...fields, ...name, ...(password === undefined ? {} : { passwordDigest: await hashPassword(password) }) };
}

/** Publishes that a user is gone. */
export const publishDeletion = (
  tx: Tx,
  { user, actorId, ghostId, hard }: { user: LockedUser; actorId: number; ghostId: number; hard: boolean },
): Promise<void> =>
  appendToOutbox(
    tx,
    userEvents,
    {
      userId: user.id,
      actorId,
      occurredAt: new Date(),
      fact: { $case: 'deleted', value: { ghostId, hard, username: user.username, name: user.name } },
    },
    { id: userDeletedId(user.id) },
  );

/** Builds the use cases of users. */
export function users(
  store: UserStore,
  { keepAvatar, settings, clock }: { keepAvatar: KeepAvatar; settings: CurrentSettings; clock: () => Date },
): Users {
  const get: Users['get'] = async (userId, viewer, options) => {
    const user = await store.find(userId, viewer.userId, options);
    if (user === undefined) throw notFound('User');
    return user;
  };

  return {
    get,
    list: (filter, request, viewer) => store.list(filter, request, viewer.userId),

    async create(fields, { confirmed }, actor) {
      const { email = '', name = '', username = '' } = fields;
      const rules = await settings();
      refuseProblems({ ...fields, email, name, username }, rules);
      const at = clock();
      const user = {
        projectsLimit: rules.default_projects_limit,
        canCreateGroup: rules.can_create_group,
        external: rules.user_default_external,
        ...(await stored(fields)),
        email,
        name: displayText(name),
        username,
        createdById: BigInt(actor.userId),
        confirmedAt: confirmed ? at : undefined,
      };
      const change = { actorId: actor.userId, at };
      return get(await keepAvatar(fields.avatar, (avatar) => store.create(user, { ...change, avatar })), actor);
    },

    async update(userId, fields, { skipReconfirmation }, actor) {
      const { user_type, email } = await get(userId, actor);
      refuseProblems(fields, await settings(), email);
      if (fields.admin === false && userId === actor.userId)
        throw forbidden('You cannot remove your own administrator rights');
      // A bot has the rights of its token alone.
      if (isInternalUser(user_type) || user_type === 'bot')
        throw forbidden('Internal users cannot be modified by the API');
      if (user_type !== 'human' && fields.password !== undefined)
        throw invalid({ password: ['cannot be set for bots and service accounts'] });
      const change = { actorId: actor.userId, at: clock(), skipReconfirmation };
      const values = await stored(fields);
      const found = await keepAvatar(fields.avatar, (avatar) => store.update(userId, values, { ...change, avatar }));
      if (!found) throw notFound('User');
      return get(userId, actor);
    },

    async delete(userId, actor, { hard = false, unmodifiedSince } = {}) {
      if (hard) {
        const queued = await store.requestHardDeletion(userId, actor.userId, async (user, tx) => {
          if (isInternalUser(user.user_type)) throw forbidden('Internal users cannot be deleted');
          await requireUnmodified(tx, 'users', userId, unmodifiedSince);
        });
        if (!queued) throw notFound('User');
        return;
      }
      const found = await store.delete(
        userId,
        actor.userId,
        async (user, tx, ghostId) => {
          if (isInternalUser(user.user_type)) throw forbidden('Internal users cannot be deleted');
          await requireUnmodified(tx, 'users', userId, unmodifiedSince);
          if (user.soleOwner) throw conflict('User cannot be removed while is the sole-owner of a group');
          await publishDeletion(tx, { user, actorId: actor.userId, ghostId, hard: false });
        },
        { hard: false },
      );
      if (!found) throw notFound('User');
    },

    async changeState(userId, change, actor) {
      let changed = false;
      const found = await store.changeState(userId, async (user, tx) => {
        changed = false;
        if (isInternalUser(user.user_type)) throw forbidden('Internal users cannot be modified by the API');
        const outcome = changeState(change, user.state as UserState, userId === actor.userId);
        if ('refused' in outcome) throw forbidden(outcome.refused);
        if ('unchanged' in outcome) return undefined;
        changed = true;
        if (change === 'block') {
          const occurredAt = new Date();
          const fact = { $case: 'blocked', value: {} } as const;
          await appendToOutbox(
            tx,
            userEvents,
            { userId, actorId: actor.userId, occurredAt, fact },
            { id: userBlockedId(userId, occurredAt) },
          );
        }
        return outcome.state;
      });
      if (!found) throw notFound('User');
      return changed;
    },
  };
}
