import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { mayHaveBegun, unavailable } from '@switchyard/errors';
import { relayedKey } from './relay';

/** Headers that are about one connection (RFC 9110, 7.6.1). */
const ofConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']);

const endToEnd = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)));

/**
 * Has another process of the same service answer a request that was forwarded here, both ways as bytes come. It ends with
 * whoever asked.
 * @param base URL of the internal HTTP server of that process
 * @throws AppError unavailable, before the head of the reply
 */
export const relayRequest = (base: string, request: IncomingMessage, response: ServerResponse): Promise<void> =>
  new Promise((resolve, reject) => {
    const outgoing = send(new URL(request.url ?? '/', base), {
      method: request.method,
      headers: { ...endToEnd(request.headers), [relayedKey]: 'true' },
      agent: false,
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      request.unpipe(outgoing);
      // How a reply went that has begun, its own end says.
      if (response.headersSent) return;
      reject(error.code === 'ECONNREFUSED' || error.code === 'ENOTFOUND' ? unavailable(error) : mayHaveBegun(error));
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
    request.pipe(outgoing);
  });
