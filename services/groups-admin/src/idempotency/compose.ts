import { repeat } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { ringOf } from '../secret-keys';
import { keyedRequests } from './application/keyed-requests';
import { idempotencyStore } from './storage/idempotency.store';
import { idempotencyHandler } from './transport/idempotency.handler';

/** Milliseconds between two searches for keys that have expired; they count as free since then. */
const pruneIntervalMs = 600_000;

/** Builds requests that are carried out once. */
export function composeIdempotency({ db, config, observe }: Pick<Edges, 'db' | 'config' | 'observe'>): Area {
  const requests = observe('idempotency', keyedRequests(idempotencyStore(db, ringOf(config))));
  return {
    services: [idempotencyHandler(requests)],
    start: () => [repeat('expired idempotency keys', pruneIntervalMs, requests.prune)],
  };
}
