import { notFound } from '@switchyard/errors';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { displayText } from '@switchyard/texts';
import { note, type Problems, taken } from '../../rules';
import { type CurrentSettings, emailRefusals } from '../../settings';
import { userProblems } from '../domain/user';
import type { DeleteUser, UserStore } from './users';

/** What can be set on a service account; undefined keeps the value. */
export interface AccountFields {
  readonly name?: string | undefined;
  readonly username?: string | undefined;
  readonly email?: string | undefined;
}

/** Users behind service accounts, for the area that manages these. */
export interface AccountUsers {
  /**
   * What is wrong with the fields of a user, those that others have among them; `userId` 0 for a new one.
   * @param chosenEmail an e-mail that was not generated: the domains of the instance hold for it
   */
  problems(fields: AccountFields, userId: number, chosenEmail: string | undefined): Promise<Problems>;
  /**
   * Makes an external user of type `service_account`, without rights and memberships (G-4.5-10); returns the id.
   * @param fields `confirmed`: the e-mail needs no confirmation; `groupId`: undefined for an account of the instance
   * @throws AppError conflict when an e-mail or username was taken in the meantime
   */
  create(
    fields: {
      readonly name: string;
      readonly username: string;
      readonly email: string;
      readonly confirmed: boolean;
      readonly groupId: number | undefined;
    },
    actor: Actor,
  ): Promise<number>;
  /** A new e-mail waits for its confirmation. @throws AppError conflict as in `create` */
  update(userId: number, fields: AccountFields, actor: Actor): Promise<void>;
  readonly delete: DeleteUser;
}

/** Builds `AccountUsers`. */
export function accountUsers(
  store: UserStore,
  { deleteUser, settings, clock }: { deleteUser: DeleteUser; settings: CurrentSettings; clock: () => Date },
): AccountUsers {
  return {
    async problems(fields, userId, chosenEmail) {
      const { name, username, email } = fields;
      const problems = userProblems({
        ...(name === undefined ? {} : { name }),
        ...(username === undefined ? {} : { username }),
        ...(email === undefined ? {} : { email }),
      });
      if (chosenEmail !== undefined) note(problems, 'email', emailRefusals(chosenEmail, await settings()));
      const found = await store.taken(fields, userId);
      if (found.username) note(problems, 'username', [taken]);
      if (found.email) note(problems, 'email', [taken]);
      return problems;
    },

    create({ name, username, email, confirmed, groupId }, actor) {
      const at = clock();
      return store.create(
        {
          name: displayText(name),
          username,
          email,
          userType: 'service_account',
          external: true,
          canCreateGroup: false,
          projectsLimit: 0,
          createdById: BigInt(actor.userId),
          confirmedAt: confirmed ? at : undefined,
          serviceAccountGroupId: groupId === undefined ? undefined : BigInt(groupId),
        },
        { actorId: actor.userId, at, avatar: undefined },
      );
    },

    async update(userId, { name, username, email }, actor) {
      const fields = {
        ...(name === undefined ? {} : { name: displayText(name) }),
        ...(username === undefined ? {} : { username }),
        ...(email === undefined ? {} : { email }),
      };
      const change = { actorId: actor.userId, at: clock(), skipReconfirmation: false, avatar: undefined };
      if (!(await store.update(userId, fields, change))) throw notFound('User');
    },

    delete: deleteUser,
  };
}
