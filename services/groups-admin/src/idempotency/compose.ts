import { createHmac } from 'node:crypto';
import { repeat } from '@switchyard/background';
import { readKeyFile } from '@switchyard/secrets';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { ringOf } from '../secret-keys';
import { keyedRequests } from './application/keyed-requests';
import { idempotencyStore } from './storage/idempotency.store';
import { idempotencyHandler } from './transport/idempotency.handler';

/** Milliseconds between two searches for keys that have expired; they count as free since then. */
const pruneIntervalMs = 600_000;

const keyVariable = 'SWITCHYARD_REQUEST_DIGEST_KEY_FILE';

/** Builds requests that are carried out once. */
export function composeIdempotency({ db, config, observe }: Pick<Edges, 'db' | 'config' | 'observe'>): Area {
  const key = readKeyFile(keyVariable, config[keyVariable]);
  const seal = (fingerprint: Buffer): Buffer => createHmac('sha256', key).update(fingerprint).digest();
  const requests = observe('idempotency', keyedRequests(idempotencyStore(db, ringOf(config)), seal));
  return {
    services: [idempotencyHandler(requests)],
    start: () => [repeat('expired idempotency keys', pruneIntervalMs, requests.prune)],
  };
}
