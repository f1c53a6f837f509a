import { randomUUID } from 'node:crypto';
import { isAppError } from '@switchyard/errors';
import { UserEmailServiceService } from '@switchyard/protos/groups_admin/v1/user_email';
import type { Peer } from '@switchyard/rpc';
import type { Confirmation } from '../domain/mail';

/** Asks groups-admin for address and link of a confirmation; undefined when nothing waits for it any more. */
export function emailConfirmation(groupsAdmin: Peer): (emailId: number) => Promise<Confirmation | undefined> {
  const client = groupsAdmin.client(UserEmailServiceService);
  return async (emailId) => {
    try {
      return await client.getEmailConfirmation({ emailId }, { requestId: randomUUID(), idempotent: true });
    } catch (error) {
      if (isAppError(error, 'not_found')) return undefined;
      throw error;
    }
  };
}
