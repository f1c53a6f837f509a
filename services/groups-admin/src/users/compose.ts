import { repeat } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { KeepAvatar } from '../avatars';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { derivedKeys } from '../secret-keys';
import type { CurrentSettings } from '../settings';
import { type AccountUsers, accountUsers } from './application/account-users';
import { confirmationTokens } from './application/confirmation-token';
import { deleteQueuedUsers } from './application/delete-users';
import { emails } from './application/emails';
import { placeholderUsers } from './application/placeholder-users';
import { userProfiles } from './application/user-profiles';
import { type DeleteUser, users } from './application/users';
import { emailStore } from './storage/email.store';
import { placeholderUserStore } from './storage/placeholder-user.store';
import { userStore } from './storage/user.store';
import { userProfileStore } from './storage/user-profile.store';
import { emailHandler } from './transport/email.handler';
import { placeholderUserHandler } from './transport/placeholder-user.handler';
import { userHandler } from './transport/user.handler';
import { userProfileHandler } from './transport/user-profile.handler';

/** Milliseconds between two searches for users who are to be deleted; a request is seen at once. */
const deletionIntervalMs = 30_000;

/** Milliseconds between two searches for placeholder users whose project was purged. */
const orphanIntervalMs = 60_000;

/** Users, and what other areas use of them. */
export interface UsersArea extends Area {
  readonly deleteUser: DeleteUser;
  /** Users behind service accounts. */
  readonly accounts: AccountUsers;
}

/** Users: their profiles, states, e-mails and deletion. */
export function composeUsers(
  { config, db, clock, observe }: Edges,
  directory: DirectoryWriter,
  { keepAvatar, settings }: { keepAvatar: KeepAvatar; settings: CurrentSettings },
): UsersArea {
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL;
  const store = userStore(db, directory);
  const useCases = observe('users', users(store, { keepAvatar, settings, clock }));
  const tokens = confirmationTokens(derivedKeys(config, 'switchyard e-mail confirmation'));
  const emailUseCases = observe(
    'user_emails',
    emails(emailStore(db, directory), { tokens, settings, externalUrl, clock }),
  );
  const profiles = observe('user_profiles', userProfiles(userProfileStore(db), clock));
  const { deleteQueued } = observe('users.jobs', { deleteQueued: deleteQueuedUsers(store) });
  const { hostname: host } = new URL(externalUrl);
  const placeholders = observe('placeholder_users', placeholderUsers(placeholderUserStore(db, directory, host), store));
  return {
    services: [
      placeholderUserHandler(placeholders),
      userHandler(useCases, externalUrl),
      emailHandler(emailUseCases),
      userProfileHandler(profiles, externalUrl),
    ],
    deleteUser: useCases.delete,
    accounts: accountUsers(store, { deleteUser: useCases.delete, settings, clock }),
    start: () => {
      const deletions = repeat('users who are to be deleted with what they wrote', deletionIntervalMs, deleteQueued);
      const unlisten = store.onHardDeletions(() => deletions.soon());
      return [
        { close: async () => unlisten() },
        deletions,
        repeat('placeholder users of purged projects', orphanIntervalMs, placeholders.removeOrphans),
      ];
    },
  };
}
