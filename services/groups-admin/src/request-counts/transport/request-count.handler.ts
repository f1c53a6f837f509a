import { badRequest } from '@switchyard/errors';
import { RequestCountServiceService } from '@switchyard/protos/groups_admin/v1/request_count';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { RequestCounts } from '../application/count-requests';

/** Most counters of a call. */
const mostCounts = 1_000;

/** Serves `RequestCountService`. */
export const requestCountHandler = (counts: RequestCounts): ServiceImplementation =>
  implement(
    RequestCountServiceService,
    {
      async countRequests(request) {
        const keys = new Set(request.counts.map(({ key }) => key.toString('hex')));
        const fits = request.counts.every(({ seconds }) => seconds >= 1 && seconds < 2 ** 31);
        if (request.counts.length > mostCounts || keys.size !== request.counts.length || !fits) throw badRequest();
        return { sums: await counts.add(request.counts) };
      },
    },
    { countRequests: { callers: ['gateway'] } },
  );
