import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { manageAccessRequests } from './application/manage-access-requests';
import { accessRequestStore } from './storage/access-request.store';
import { type Approve, accessRequestHandler } from './transport/access-request.handler';

/** Access requests of groups and projects; `approve` makes a user a member. */
export function composeAccessRequests(
  { config, db, observe }: Edges,
  writer: DirectoryWriter,
  { approve }: { approve: Approve },
): Area {
  const store = accessRequestStore(db, writer, config.SWITCHYARD_TIER);
  const requests = observe('access_requests', manageAccessRequests(store));
  return { services: [accessRequestHandler(requests, approve, config.SWITCHYARD_EXTERNAL_URL)] };
}
