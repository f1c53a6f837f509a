import { type PageInfo, type PageRequest, requireUnmodified, type Tx } from '@switchyard/database';
import { conflict, forbidden, notFound } from '@switchyard/errors';
import { appendToOutbox, userBlockedId, userDeletedId, userEvents } from '@switchyard/events';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { displayText } from '@switchyard/texts';
import { isInternalUser, refuse } from '../../rules';
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
}

/** A user as it is stored: the password as its digest. */
type StoredFields = Omit<UserFields, 'password'> & { passwordDigest?: string };

/** A user to insert. */
type NewUser = StoredFields & {
  email: string;
  name: string;
  username: string;
  createdById: bigint;
  confirmedAt: Date | undefined;
};

/** Users in the database; each change is one transaction with its events. */
export interface UserStore {
  find(userId: number): Promise<UserRow | undefined>;
  list(filter: UserFilter, request: PageRequest): Promise<{ rows: UserRow[]; page: PageInfo }>;
  /** Makes the user and their namespace; returns the id. @throws AppError conflict for a taken e-mail or username */
  create(user: NewUser): Promise<number>;
  /**
   * Changes a user and, with the username, the namespace; false when there is no such user. @throws AppError conflict
   * as in `create`
   */
  update(userId: number, fields: StoredFields): Promise<boolean>;
  /**
   * Locks a user, lets `decide` choose the new state, saves it and what `decide` appends; false when there is no such
   * user.
   */
  changeState(userId: number, decide: (user: LockedUser, tx: Tx) => Promise<string | undefined>): Promise<boolean>;
  /**
   * Deletes a user: memberships, stars and tokens go, the namespace is marked for deletion and frees its path, a
   * tombstone points at the ghost (D5). `check` may refuse under the lock; what it appends commits with the deletion.
   * False when there is no such user.
   */
  delete(
    userId: number,
    deletedById: number,
    check: (user: LockedUser & { soleOwner: boolean }, tx: Tx, ghostId: number) => Promise<void>,
  ): Promise<boolean>;
}

/** Use cases of users (G §10 Users). The gateway decides who may call: changes are for administrators. */
export type Users = {
  /** @throws AppError not_found `404 User Not Found` */
  get(userId: number): Promise<UserRow>;
  list(filter: UserFilter, request: PageRequest): Promise<{ rows: UserRow[]; page: PageInfo }>;
  /** @throws AppError invalid with texts by field; conflict for a taken e-mail or username */
  create(fields: UserFields, options: { confirmed: boolean }, actor: Actor): Promise<UserRow>;
  /** @throws AppError as in `create`; not_found */
  update(userId: number, fields: UserFields, actor: Actor): Promise<UserRow>;
  /**
   * @throws AppError not_found; conflict while the user is the only Owner of a group; forbidden for a user of the
   * instance itself
   */
  delete(userId: number, actor: Actor, unmodifiedSince?: Date): Promise<void>;
  /** False when the user already was in that state. @throws AppError not_found; forbidden with the reason */
  changeState(userId: number, change: StateChange, actor: Actor): Promise<boolean>;
};

function refuseProblems(fields: UserFields): void {
  const { bio, location, skype, linkedin, twitter, discord, github, organization, pronouns } = fields;
  const texts = { bio, location, skype, linkedin, twitter, discord, github, organization, pronouns };
  refuse({
    ...userProblems(fields),
    ...profileProblems({ ...texts, website_url: fields.websiteUrl, job_title: fields.jobTitle }),
  });
}

/** Fields as they are stored: a password as its digest. */
async function stored({ password, ...fields }: UserFields): Promise<StoredFields> {
  const name = fields.name === undefined ? {} : { name: displayText(fields.name) };
  return { ...fields, ...name, ...(password === undefined ? {} : { passwordDigest: await hashPassword(password) }) };
}

/** Builds the use cases of users. */
export function users(store: UserStore): Users {
  const get = async (userId: number): Promise<UserRow> => {
    const user = await store.find(userId);
    if (user === undefined) throw notFound('User');
    return user;
  };

  return {
    get,
    list: (filter, request) => store.list(filter, request),

    async create(fields, { confirmed }, actor) {
      const { email = '', name = '', username = '' } = fields;
      refuseProblems({ ...fields, email, name, username });
      const id = await store.create({
        ...(await stored(fields)),
        email,
        name: displayText(name),
        username,
        createdById: BigInt(actor.userId),
        // A message would confirm the e-mail of a user whom an administrator makes; until mail is sent, the
        // administrator does.
        confirmedAt: confirmed ? new Date() : undefined,
      });
      return get(id);
    },

    async update(userId, fields, actor) {
      refuseProblems(fields);
      if (fields.admin === false && userId === actor.userId)
        throw forbidden('You cannot remove your own administrator rights');
      if (isInternalUser((await get(userId)).user_type))
        throw forbidden('Internal users cannot be modified by the API');
      if (!(await store.update(userId, await stored(fields)))) throw notFound('User');
      return get(userId);
    },

    async delete(userId, actor, unmodifiedSince) {
      const found = await store.delete(userId, actor.userId, async (user, tx, ghostId) => {
        if (isInternalUser(user.user_type)) throw forbidden('Internal users cannot be deleted');
        await requireUnmodified(tx, 'users', userId, unmodifiedSince);
        if (user.soleOwner) throw conflict('User cannot be removed while is the sole-owner of a group');
        await appendToOutbox(
          tx,
          userEvents,
          {
            userId,
            actorId: actor.userId,
            occurredAt: new Date(),
            fact: { $case: 'deleted', value: { ghostId } },
          },
          { id: userDeletedId(userId) },
        );
      });
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
