import { randomUUID } from 'node:crypto';
import { AppError } from '@switchyard/errors';
import { anonymous } from '@switchyard/rpc';
import { logger, observeHttp, withRequestId } from '@switchyard/telemetry';
import express, { type Express, type NextFunction, type Request, type Response, Router } from 'express';
import helmet from 'helmet';
import { type PipelineEdges, pipeline } from './pipeline';
import { logFailure, renderError } from './render-error';
import type { Route } from './route';
import { settleUnreadBodies } from './unread-body';

/** Request ids a client may choose. */
const acceptableId = /^[\w.:-]{1,128}$/;

/** What stands outside `/api/v4`. */
export interface Surroundings {
  /** True while the process takes traffic; afterwards every reply asks the client to connect anew. */
  ready(): boolean;
  /** Whose `X-Forwarded-For` is believed, as Express writes it; nobody's when false. */
  readonly trustedProxies: string | false;
  /** Handlers mounted before the API: smart HTTP, the reference document. */
  readonly mounts: readonly ((app: Express) => void)[];
}

/** The Express application: common headers, health, the API, and the one error renderer. */
export function createApp(routes: readonly Route[], edges: PipelineEdges, around: Surroundings): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  app.set('trust proxy', around.trustedProxies);
  app.use(
    helmet({
      contentSecurityPolicy: false,
      // TLS ends at the operator's proxy, whose word on it stands.
      strictTransportSecurity: false,
      crossOriginResourcePolicy: false,
      frameguard: { action: 'sameorigin' },
    }),
  );
  app.use(commonHeaders(around), settleUnreadBodies);
  app.get('/-/liveness', (_request, response) => void response.json({ status: 'ok' }));
  app.get('/-/readiness', (_request, response) => {
    const ready = around.ready();
    response.status(ready ? 200 : 503).json({ status: ready ? 'ok' : 'draining' });
  });
  // Counted for its address: what is read without a token, and every refusal of a caller that was not known yet.
  const countForAddress = (request: Request, response: Response): void =>
    edges.limits.throttle(request, response, anonymous);
  app.use('/docs', (request, response, next) => {
    countForAddress(request, response);
    next();
  });
  for (const mount of around.mounts) mount(app);
  app.use('/api/v4', apiRouter(routes, edges));
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
  ({ ready }: Surroundings) =>
  (request: Request, response: Response, next: NextFunction): void => {
    const given = request.get('X-Request-Id');
    const id = given !== undefined && acceptableId.test(given) ? given : randomUUID();
    response.setHeader('X-Request-Id', id);
    response.setHeader('X-Gitlab-Meta', JSON.stringify({ correlation_id: id, version: '1' }));
    response.setHeader('Vary', 'Origin');
    const startedAt = performance.now();
    const writeHead = response.writeHead;
    response.writeHead = function (this: Response, ...args: Parameters<typeof writeHead>) {
      this.setHeader('X-Runtime', ((performance.now() - startedAt) / 1_000).toFixed(6));
      if (!ready()) this.setHeader('Connection', 'close');
      // Here and not at the end: a client may go away before its reply is written.
      logFailure(request, this, typeof args[0] === 'number' ? args[0] : this.statusCode);
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

function apiRouter(routes: readonly Route[], edges: PipelineEdges): Router {
  const routers = new Map<string, Router>();
  const methods = new Map<string, Set<string>>();
  const routerOf = (path: string): Router => {
    const key = keyOf(path);
    let router = routers.get(key);
    if (router === undefined) {
      router = Router({ caseSensitive: true });
      routers.set(key, router);
    }
    return router;
  };
  // Literal segments before parameters, so that `/users/self` is never taken for an id.
  const ordered = [...routes].sort((a, b) => specificity(b.path).localeCompare(specificity(a.path)));
  for (const route of ordered) {
    const allowed = methods.get(route.path) ?? new Set<string>();
    methods.set(route.path, allowed.add(route.method.toUpperCase()));
    routerOf(route.path)[route.method](route.path, timed(route), pipeline(route, edges));
  }
  const refuseMethod = Router({ caseSensitive: true });
  for (const [path, allowed] of methods) {
    const verbs = [...allowed, ...(allowed.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    refuseMethod.all(path, (_request, response) => {
      response.setHeader('Allow', verbs);
      throw new AppError('not_allowed', { error: '405 Not Allowed' });
    });
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
  root.use(refuseMethod);
  return root;
}

/** Sorts literal segments before parameters, place by place. */
const specificity = (path: string): string =>
  segments(path)
    .map((part) => (isStatic(part) ? '2' : part.startsWith(':') ? '1' : '0'))
    .join('');

const timed = (route: Route) => (request: Request, response: Response, next: NextFunction) => {
  const method = route.method.toUpperCase();
  const done = observeHttp(method, route.path);
  response.once('finish', () => {
    done(response.statusCode);
    logger.debug({ method, path: request.path, status: response.statusCode }, 'request answered');
  });
  next();
};
