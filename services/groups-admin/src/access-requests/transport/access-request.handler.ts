import { AccessRequestServiceService } from '@switchyard/protos/groups_admin/v1/access_request';
import {
  type CallContext,
  entity,
  fixedOrder,
  implement,
  nothing,
  page,
  type ServiceImplementation,
  signedIn,
} from '@switchyard/rpc';
import { type Parent, parentOf } from '../../parents';
import type { ManageAccessRequests } from '../application/manage-access-requests';
import type { AccessRequestActor } from '../domain/access-request';
import { presentAccessRequest } from '../presenters/access-request.presenter';

/**
 * Makes the user of a pending request a member, and returns the member as the API shows one.
 * @throws AppError not_found without such a request; forbidden, not_allowed, invalid as for a user who is added
 */
export type Approve = (actor: AccessRequestActor, source: Parent, userId: number, level: number) => Promise<object>;

const actorOf = (context: CallContext): AccessRequestActor => {
  const { actor, access } = signedIn(context);
  return { userId: actor.userId, admin: actor.admin, level: access?.level ?? 0 };
};

/** Serves `AccessRequestService`. */
export const accessRequestHandler = (
  requests: ManageAccessRequests,
  approve: Approve,
  externalUrl: string,
): ServiceImplementation =>
  implement(AccessRequestServiceService, {
    async listAccessRequests({ source, page: requested }) {
      const request = fixedOrder(requested, 'id', 'asc');
      const { rows, page: info } = await requests.list(parentOf(source), request);
      return page(
        rows.map((row) => presentAccessRequest(row, externalUrl)),
        { ...info, keyset: request.mode === 'keyset' },
      );
    },

    createAccessRequest: async ({ source }, context) =>
      entity(presentAccessRequest(await requests.request(actorOf(context), parentOf(source)), externalUrl)),

    approveAccessRequest: async ({ source, userId, accessLevel }, context) =>
      entity(await approve(actorOf(context), parentOf(source), userId, accessLevel)),

    async deleteAccessRequest({ source, userId }, context) {
      await requests.end(actorOf(context), parentOf(source), userId);
      return nothing(204);
    },
  });
