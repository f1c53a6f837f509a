import { randomUUID } from 'node:crypto';
import { AppError } from '@switchyard/errors';
import { anonymous } from '@switchyard/rpc';
import { currentTraceId, logger, withRequestId } from '@switchyard/telemetry';
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import { beginRoute, logAccess } from './access-log';
import { type PipelineEdges, pipeline } from './pipeline';
import { logFailure, renderError } from './render-error';
import type { Route } from './route';
import { formPolicy, pagePolicy, referencePolicy, securityHeaders } from './security-headers';
import { settleUnreadBodies } from './unread-body';

/** Request ids a client may choose. */
const acceptableId = /^[\w.:-]{1,128}$/;

/** What stands outside `/api/v4`. */
export interface AppEdges {
  /** True while the process takes traffic; afterwards every reply makes the client connect again. */
  ready(): boolean;
  /** Whether each request has a line in the log. */
  readonly accessLog: boolean;
  /** Proxies whose `X-Forwarded-For` is believed, as Express writes them; false for none. */
  readonly trustedProxies: string | false;
  /** Endpoints whose paths are not below `/api/v4`. */
  readonly uploads: readonly Route[];
  /** Handlers mounted before the API: smart HTTP, the reference document. */
  readonly mounts: readonly ((app: Express) => void)[];
}

/** The Express application: common headers, health, the API, and the one error renderer. */
export function createApp(routes: readonly Route[], edges: PipelineEdges, around: AppEdges): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  app.set('trust proxy', around.trustedProxies);
  app.use(securityHeaders);
  app.use(commonHeaders(around), settleUnreadBodies);
  app.get('/-/liveness', (_request, response) => void response.json({ status: 'ok' }));
  app.get('/-/readiness', (_request, response) => {
    const ready = around.ready();
    response.status(ready ? 200 : 503).json({ status: ready ? 'ok' : 'draining' });
  });
  // Counted for its address: what is read without a token, and every refusal of a caller that was not known yet.
  const countForAddress = (request: Request, response: Response): void =>
    edges.limits.throttle(request, response, anonymous);
  const counted: RequestHandler = (request, response, next) => {
    countForAddress(request, response);
    next();
  };
  app.use('/docs', referencePolicy(edges.externalUrl), counted);
  app.use(['/-/trains', '/-/pages'], pagePolicy, counted);
  app.use(['/-/confirmation', '/-/unsubscribe'], formPolicy, counted);
  for (const mount of around.mounts) mount(app);
  app.use('/api/v4', apiRouter(routes, edges));
  app.use(apiRouter(around.uploads, edges));
  app.use('/api/v3', () => {
    throw new AppError('gone', { error: 'API V3 is no longer supported. Use API V4 instead.' });
  });
  app.use(() => {
    throw new AppError('not_found', { error: '404 Not Found' });
  });
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    if (!response.headersSent) countForAddress(request, response);
    next(error);
  });
  app.use(renderError);
  return app;
}

/** Headers of every reply; what follows in the request runs under its id. */
const commonHeaders =
  ({ ready, accessLog }: AppEdges) =>
  (request: Request, response: Response, next: NextFunction): void => {
    const given = request.get('X-Request-Id');
    const id = given !== undefined && acceptableId.test(given) ? given : randomUUID();
    response.setHeader('X-Request-Id', id);
    response.setHeader('X-Gitlab-Meta', JSON.stringify({ correlation_id: id, version: '1' }));
    response.setHeader('Vary', 'Origin');
    const traceId = currentTraceId();
    if (accessLog) logAccess(request, response);
    const startedAt = performance.now();
    const writeHead = response.writeHead;
    response.writeHead = function (this: Response, ...args: Parameters<typeof writeHead>) {
      this.setHeader('X-Runtime', ((performance.now() - startedAt) / 1_000).toFixed(6));
      if (!ready()) this.setHeader('Connection', 'close');
      const status = typeof args[0] === 'number' ? args[0] : this.statusCode;
      if (status >= 400 && traceId !== undefined) this.setHeader('X-Trace-Id', traceId);
      // Here and not at the end: a client may go away before its reply is written.
      logFailure(request, this, status);
      return writeHead.apply(this, args);
    } as typeof writeHead;
    withRequestId(id, next);
  };

const segments = (path: string): string[] => path.split('/').filter((part) => part !== '');
const isStatic = (part: string | undefined): boolean =>
  part !== undefined && !part.startsWith(':') && !part.startsWith('*');

/** Routes of one key stand in one router: a flat table of 600 costs 0.3 ms a request (measured). */
const keyOf = (path: string): string => {
  const [first, , third] = segments(path);
  return isStatic(third) ? `${first}/${third}` : (first ?? '');
};

/** The path without the names of its parameters. Two paths with the same form match the same requests. */
const formOf = (path: string): string => path.replace(/([:*])[a-z_]+/g, '$1');

/** A route at each of its paths. */
function atAllPaths(route: Route): Route[] {
  const { otherPath } = route;
  return otherPath === undefined ? [route] : [route, { ...route, path: otherPath }];
}

function apiRouter(declared: readonly Route[], edges: PipelineEdges): Router {
  const routes = declared.flatMap(atAllPaths);
  const routers = new Map<string, Router>();
  const routerOf = (path: string): Router => {
    const key = keyOf(path);
    let router = routers.get(key);
    if (router === undefined) {
      router = Router({ caseSensitive: true });
      routers.set(key, router);
    }
    return router;
  };
  const byForm = new Map<string, Route[]>();
  for (const route of routes) byForm.set(formOf(route.path), [...(byForm.get(formOf(route.path)) ?? []), route]);
  // Literal segments before parameters, so that `/users/self` is never taken for an id, whatever the verb.
  const ordered = [...byForm].sort(([a], [b]) => specificity(b).localeCompare(specificity(a)));
  for (const [, there] of ordered) {
    for (const route of there) routerOf(route.path)[route.method](route.path, timed(route), pipeline(route, edges));
    const [{ path }] = there as [Route];
    routerOf(path).all(path, refuseMethod(new Set(there.map(({ method }) => method.toUpperCase()))));
  }
  const root = Router({ caseSensitive: true });
  root.use((request, response, next) => {
    const [first = '', , third] = segments(request.path);
    const specific = third === undefined ? undefined : routers.get(`${first}/${third}`);
    const general = routers.get(first);
    const tryGeneral = (error?: unknown): void => {
      if (error !== undefined || general === undefined) next(error);
      else general(request, response, next);
    };
    if (specific === undefined) tryGeneral();
    else specific(request, response, tryGeneral);
  });
  return root;
}

/** Answers the verbs that a path does not have. */
function refuseMethod(allowed: ReadonlySet<string>): RequestHandler {
  const verbs = [...allowed, ...(allowed.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return (_request, response) => {
    response.setHeader('Allow', verbs);
    throw new AppError('not_allowed', { error: '405 Not Allowed' });
  };
}

/** Sorts literal segments before parameters, place by place. */
const specificity = (path: string): string =>
  segments(path)
    .map((part) => (isStatic(part) ? '2' : part.startsWith(':') ? '1' : '0'))
    .join('');

/** Calls `then` once the head of the reply has been written. */
function onHead(response: Response, then: () => void): void {
  const { writeHead } = response;
  response.writeHead = function (this: Response, ...args: Parameters<typeof writeHead>) {
    const written = writeHead.apply(this, args);
    then();
    return written;
  } as typeof writeHead;
}

const timed = (route: Route) => (request: Request, response: Response, next: NextFunction) => {
  const method = route.method.toUpperCase();
  const done = beginRoute(response, method, route.path);
  const answered = (): void => {
    done(response.statusCode);
    logger.debug({ method, path: request.path, status: response.statusCode }, 'request answered');
  };
  // A stream lasts as long as its reader: what it took to begin is what counts.
  if (route.events === undefined) response.once('finish', answered);
  else onHead(response, answered);
  next();
};
