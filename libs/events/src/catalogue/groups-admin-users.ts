import { UserEvent } from '@switchyard/protos/groups_admin/events/v1/user_event';
import { defineEvent } from '../event';

/** Changes of users, in order per user (see the proto for the facts and the ids of events). */
export const userEvents = defineEvent({
  stream: 'groups-admin.user',
  version: 1,
  type: 'user.changed',
  message: UserEvent,
  key: (event) => String(event.userId),
});

/** Id of the making of a user. */
export const userCreatedId = (userId: number): string => `user_created:${userId}`;

/** Id of a change of a username. */
export const userRenamedId = (userId: number, at: Date): string => `user_renamed:${userId}:${at.getTime()}`;

/** Id of the deletion of a user. */
export const userDeletedId = (userId: number): string => `user_deleted:${userId}`;

/** Id of the notice that a token ends soon. */
export const tokenExpiringId = (tokenId: number): string => `token_expiring:${tokenId}`;

/** Id of the notice that a deploy token ends soon. */
export const deployTokenExpiringId = (tokenId: number): string => `deploy_token_expiring:${tokenId}`;

/** Id of a request to confirm an e-mail. */
export const emailConfirmationId = (emailId: number, at: Date): string =>
  `email_confirmation:${emailId}:${at.getTime()}`;

/** Id of a blocking of a user. */
export const userBlockedId = (userId: number, at: Date): string => `user_blocked:${userId}:${at.getTime()}`;
