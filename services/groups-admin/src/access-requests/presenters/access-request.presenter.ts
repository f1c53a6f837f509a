import { userReference } from '@switchyard/directory';
import type { AccessRequestRow } from '../domain/access-request';

/** A pending request as the API shows one: the user who asked, and when. */
export const presentAccessRequest = (request: AccessRequestRow, externalUrl: string) => ({
  ...userReference(request, externalUrl),
  requested_at: request.requested_at,
});
