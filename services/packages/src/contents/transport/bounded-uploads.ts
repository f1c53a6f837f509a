import { admissionQueue, anonymous, type ForwardedCall, type ForwardedEndpoint } from '@switchyard/rpc';
import type { Area } from '@switchyard/service';

/**
 * Uploads that a process receives at a time, those of one caller, and those that wait. On S3 each has up to two parts of 5 MiB in memory.
 */
const places = { slots: 32, slotsOfOwner: 16, maxWaiting: 200 } as const;

const writing = new Set(['PUT', 'POST']);

/** Whose upload it is: a user's, whatever the token, or a deploy token's. */
const ownerOf = ({ claims: { actor = anonymous } }: ForwardedCall): string =>
  actor.deployTokenId === undefined ? `user ${actor.userId}` : `deploy token ${actor.deployTokenId}`;

/**
 * The same areas, whose endpoints that take a body do so for a bounded number of requests at a time, all of them together.
 * Others wait for some seconds, before their body is read, and then fail with `unavailable`: slow senders of one caller
 * leave room for others.
 */
export function withBoundedUploads(areas: readonly Area[], queue = admissionQueue(places)): Area[] {
  async function bounded({ run }: ForwardedEndpoint, call: ForwardedCall): Promise<void> {
    const left = new AbortController();
    call.response.once('close', () => left.abort());
    await queue.run(() => run(call), { owner: ownerOf(call), signal: left.signal });
  }
  const boundedEndpoint = (endpoint: ForwardedEndpoint): ForwardedEndpoint =>
    endpoint.methods.some((method) => writing.has(method))
      ? { ...endpoint, run: (call) => bounded(endpoint, call) }
      : endpoint;
  return areas.map(({ http = [], ...area }) => ({ ...area, http: http.map(boundedEndpoint) }));
}
