import { AccessServiceService } from '@switchyard/protos/groups_admin/v1/access';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { LocateProject } from '../application/locate-project';
import type { ResolveAccess } from '../application/resolve-access';

/** AccessService, for the gateway and for services that authenticate by themselves (smart HTTP). */
export const accessHandler = (resolve: ResolveAccess, locate: LocateProject): ServiceImplementation =>
  implement(
    AccessServiceService,
    { resolve: (request) => resolve(request), locateProject: ({ path }) => locate(path) },
    {
      resolve: { callers: ['gateway', 'merge-requests'], unbounded: true },
      locateProject: { callers: ['alerts'] },
    },
  );
