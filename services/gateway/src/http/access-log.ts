import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import { currentTraceId, logger, observeHttp } from '@switchyard/telemetry';
import type { Request, Response } from 'express';

/**
 * Begins what is measured of a public request: its duration by method, route and status.
 * @param route the pattern, never the path
 */
export function beginRoute(response: Response, method: string, route: string): (status: number) => void {
  response.locals.route = route;
  return observeHttp(method, route);
}

/** `beginRoute` for a request that ends with its reply. */
export function measureRoute(response: Response, method: string, route: string): void {
  const done = beginRoute(response, method, route);
  response.once('finish', () => done(response.statusCode));
}

/** Says who sent the request, for its line. */
export function noteCaller(response: Response, { userId }: Actor): void {
  response.locals.userId = userId;
}

/**
 * Writes one line when a request has ended: method, route, status of a reply that was begun, milliseconds, id of the
 * caller, ids of request and trace. Neither path nor query is in it: both may contain secrets. Probes have none.
 */
export function logAccess(request: Request, response: Response): void {
  if (request.path === '/-/liveness' || request.path === '/-/readiness') return;
  const startedAt = performance.now();
  // The reply ends outside the request's span.
  const trace_id = currentTraceId();
  response.once('close', () => {
    const { route, userId, brokenOff } = response.locals as { route?: string; userId?: number; brokenOff?: boolean };
    const line = {
      method: request.method,
      route,
      ...(response.headersSent ? { status: response.statusCode } : {}),
      duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
      ...(userId ? { user_id: userId } : {}),
      request_id: response.getHeader('X-Request-Id'),
      ...(trace_id === undefined ? {} : { trace_id }),
      // The reply is not whole: we broke it off, or else the client went away.
      ...(response.writableFinished ? {} : brokenOff ? { broken_off: true } : { aborted: true }),
    };
    logger.info(line, 'request');
  });
}
