import { forbidden } from '@switchyard/errors';
import {
  ChangeUserStateRequest_Change as Change,
  type ListUsersRequest,
  UserServiceService,
  type UserSettings,
} from '@switchyard/protos/groups_admin/v1/user';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { entity, implement, nothing, page, pageRequest, type ServiceImplementation } from '@switchyard/rpc';
import { toAvatarChange } from '../../avatars';
import type { UserFields, Users } from '../application/users';
import type { StateChange } from '../domain/user';
import type { UserFilter, UserRow } from '../domain/user-row';
import { presentFullUser, presentUser, presentUserReference } from '../presenters/user.presenter';

const changes: Partial<Record<Change, StateChange>> = {
  [Change.CHANGE_BLOCK]: 'block',
  [Change.CHANGE_UNBLOCK]: 'unblock',
  [Change.CHANGE_DEACTIVATE]: 'deactivate',
  [Change.CHANGE_ACTIVATE]: 'activate',
};

const filterOf = (request: ListUsersRequest, actor: Actor): UserFilter => ({
  username: request.username || undefined,
  search: request.search || undefined,
  searchPrivateEmail: actor.admin,
  active: request.active,
  blocked: request.blocked,
  external: request.external && actor.admin,
  excludeExternal: request.excludeExternal,
  humans: request.humans,
  excludeHumans: request.excludeHumans,
  excludeActive: request.excludeActive,
  excludeInternal: request.excludeInternal,
  admins: request.admins && actor.admin,
  createdAfter: actor.admin ? request.createdAfter : undefined,
  createdBefore: actor.admin ? request.createdBefore : undefined,
  withoutProjectBots: request.withoutProjectBots,
  withoutProjects: request.withoutProjects && actor.admin,
  customAttributes: actor.admin ? request.customAttributes?.values : undefined,
  withCustomAttributes: request.withCustomAttributes === true && actor.admin,
});

/** Fields that were sent; absent ones stay out, so that they keep their value. */
const fieldsOf = ({ avatar, ...others }: Partial<UserSettings> = {}): UserFields =>
  Object.fromEntries(
    Object.entries({ ...others, avatar: toAvatarChange(avatar) }).filter(([, value]) => value !== undefined),
  );

/** UserService. */
export function userHandler(users: Users, externalUrl: string): ServiceImplementation {
  const full = (user: UserRow) => presentFullUser(user, externalUrl, { forAdministrator: true });
  return implement(UserServiceService, {
    getCurrentUser: async (_request, { actor }) =>
      entity(presentFullUser(await users.get(actor.userId, actor), externalUrl, { forAdministrator: actor.admin })),

    listUsers: async (request, { actor }) => {
      if (actor.userId === 0 && request.username === '') throw forbidden('Not authorized to access /api/v4/users');
      const asked = pageRequest(request.page, { orderBy: 'id', descending: true });
      const order = actor.admin ? asked : { ...asked, orderBy: 'id', sort: 'desc' as const };
      const { rows, page: info } = await users.list(filterOf(request, actor), order, actor);
      const present = actor.admin ? full : (user: UserRow) => presentUserReference(user, externalUrl);
      return page(rows.map(present), { ...info, keyset: asked.mode === 'keyset' });
    },

    getUser: async (request, { actor }) => {
      if (actor.userId === 0) throw forbidden('Not authorized!');
      const options = { withCustomAttributes: request.withCustomAttributes === true };
      const user = await users.get(request.userId, actor, options);
      return entity(actor.admin ? full(user) : presentUser(user, externalUrl));
    },

    createUser: async ({ settings, skipConfirmation }, { actor }) =>
      entity(full(await users.create(fieldsOf(settings), { confirmed: skipConfirmation }, actor))),

    updateUser: async ({ userId, settings, skipReconfirmation }, { actor }) =>
      entity(full(await users.update(userId, fieldsOf(settings), { skipReconfirmation }, actor))),

    deleteUser: async ({ userId, ifUnmodifiedSince: unmodifiedSince, hardDelete: hard }, { actor }) => {
      await users.delete(userId, actor, { hard, unmodifiedSince });
      return nothing();
    },

    changeUserState: async ({ userId, change }, { actor }) => {
      const stateChange = changes[change];
      if (stateChange === undefined) throw new Error(`no such change: ${change}`);
      if (await users.changeState(userId, stateChange, actor)) return entity(true);
      // Where nothing changes, clients expect false for unblock and activate, and null for block and deactivate.
      return entity(stateChange === 'unblock' || stateChange === 'activate' ? false : null);
    },
  });
}
