import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { logger, scrape } from '@switchyard/telemetry';
import { listen, type Place } from './listen';
import type { ServiceParts } from './process-parts';

/** The internal HTTP server of a process. */
export interface InternalHttp {
  readonly port: number;
  /** From now on `/-/readiness` answers 503, and replies that begin end their connection. */
  drain(): void;
  /** Lets running requests finish, at most `graceMs`, then closes. */
  close(graceMs: number): Promise<void>;
}

/** Starts the internal HTTP server: `/-/liveness`, `/-/readiness`, `/metrics`, and what `http` answers. */
export async function startInternalHttp(options: Pick<ServiceParts, 'http' | 'ready'> & Place): Promise<InternalHttp> {
  let draining = false;
  const underway = new Set<ServerResponse>();
  const listener = internalListener(options, () => draining);
  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 75_000, headersTimeout: 80_000, maxHeaderSize: 64 << 10 },
    (request, response) => {
      response.shouldKeepAlive &&= !draining;
      underway.add(response);
      response.once('close', () => underway.delete(response));
      listener(request, response);
    },
  );
  const port = await listen(server, options);
  return {
    port,
    drain: () => {
      draining = true;
      // A caller that kept the connection would send its next request to who is about to close it.
      for (const response of underway) response.shouldKeepAlive = false;
    },
    close: (graceMs) => closeHttp(server, graceMs),
  };
}

function internalListener(parts: Pick<ServiceParts, 'http' | 'ready'>, draining: () => boolean): RequestListener {
  const text = (status: number, body: string, type = 'application/json'): [number, string, string] => [
    status,
    body,
    type,
  ];
  const own: Record<string, (request: IncomingMessage) => Promise<[number, string, string]>> = {
    '/-/liveness': async () => text(200, '{"status":"ok"}'),
    '/-/readiness': async () => {
      if (draining()) return text(503, '{"status":"draining"}');
      try {
        await parts.ready?.();
        return text(200, '{"status":"ok"}');
      } catch (error) {
        logger.warn({ err: error }, 'not ready');
        return text(503, '{"status":"failed"}');
      }
    },
    '/metrics': async ({ headers }) => {
      const { type, text: body } = await scrape(headers.accept);
      return text(200, body, type);
    },
  };
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const answer = Object.hasOwn(own, path) ? own[path] : undefined;
    if (answer === undefined) {
      if (parts.http !== undefined) parts.http(request, response);
      else response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"404 Not Found"}');
      return;
    }
    answer(request).then(
      ([status, body, type]) => response.writeHead(status, { 'content-type': type }).end(body),
      (error: unknown) => {
        logger.error({ err: error }, 'internal endpoint failed');
        response.writeHead(500).end();
      },
    );
  };
}

/** Milliseconds between two checks for kept-alive connections whose last request has ended. */
const idleLook = 50;

const closeHttp = (server: Server, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    // A connection that was busy when the server closed stays open when its request is answered.
    const looking = setInterval(() => server.closeIdleConnections(), idleLook);
    server.close(() => {
      clearTimeout(timer);
      clearInterval(looking);
      resolve();
    });
    server.closeIdleConnections();
  });
