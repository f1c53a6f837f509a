import { repeat } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { requestCountStore } from './storage/request-count.store';
import { requestCountHandler } from './transport/request-count.handler';

/** Milliseconds between two deletions of windows that have ended; those count as none since then. */
const pruneIntervalMs = 600_000;

/** Builds the counters that gateways share. */
export function composeRequestCounts({ db, observe }: Pick<Edges, 'db' | 'observe'>): Area {
  const counts = observe('request_counts', requestCountStore(db));
  return {
    services: [requestCountHandler(counts)],
    start: () => [repeat('request counts that have ended', pruneIntervalMs, counts.prune)],
  };
}
