import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { mayHaveBegun, unavailable } from '@switchyard/errors';
import type { Peer } from './client';
import { relayedKey } from './relay';

/** Another process of the same service, which takes forwarded requests over. */
export interface RequestTaker {
  /** URL of its internal HTTP server. */
  readonly http: string;
  readonly sibling: Pick<Peer, 'reach'>;
}

/** Milliseconds for a connection, and without a byte either way after that. */
const connectWithinMs = 2_000;
const idleMs = 600_000;

/** Headers that are about one connection (RFC 9110, 7.6.1). */
const ofConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']);

const endToEnd = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)));

/**
 * Has another process of the same service answer a request that was forwarded here, both ways as bytes come. It ends with
 * its sender. A process that takes no connection for 2 s is away; without a byte for 600 s the request ends.
 * @throws AppError unavailable, before the head of the reply; `begun` once there was a connection
 */
export async function relayRequest(
  { http, sibling }: RequestTaker,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // The kernel takes connections for a process that hangs.
  await sibling.reach();
  await new Promise<void>((resolve, reject) => {
    let isConnected = false;
    const outgoing = send(new URL(request.url ?? '/', http), {
      method: request.method,
      headers: { ...endToEnd(request.headers), [relayedKey]: 'true' },
      agent: false,
      timeout: connectWithinMs,
    });
    outgoing.once('socket', (socket) =>
      socket.once('connect', () => {
        isConnected = true;
        socket.setTimeout(idleMs);
      }),
    );
    outgoing.once('timeout', () => outgoing.destroy(new Error(`${http} does not answer`)));
    outgoing.once('error', (error) => {
      request.unpipe(outgoing);
      // How a reply went that has begun, its own end says.
      if (response.headersSent) return;
      reject(isConnected ? mayHaveBegun(error) : unavailable(error));
    });
    outgoing.once('response', (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.statusMessage, endToEnd(reply.headers));
      reply.pipe(response);
      reply.once('close', () => {
        if (!reply.complete) response.destroy();
        resolve();
      });
    });
    response.once('close', () => {
      if (!response.writableFinished) outgoing.destroy();
    });
    // The sender may have gone while the process was reached.
    if (response.destroyed) outgoing.destroy();
    else request.pipe(outgoing);
  });
}
