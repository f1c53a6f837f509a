import { AppError } from '@switchyard/errors';
import type { Access, Actor } from '@switchyard/protos/rpc/v1/identity';
import type { PageRequest, Representation, RepresentationPage } from '@switchyard/protos/rpc/v1/representation';
import { anonymous, measureCost } from '@switchyard/rpc';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import { type Admission, ownerOfAccess } from './admission';
import { sudoOf, tokenOf } from './authenticate';
import { refusalOfCaller, refusalOfTarget, targetKind } from './authorize';
import { checkParameters, refuseProblems } from './check-parameters';
import type { Forwarder } from './forward';
import { pageHeaders, pageParameters, pageRequest } from './page';
import { isAsWritten, text } from './params';
import type { RateLimits } from './rate-limits';
import { defaultBodyLimit, readParameters, readQuery } from './read-parameters';
import { type AccessResolver, refuseToken } from './resolve-access';
import type { Answer, Forward, Route } from './route';
import { sendJson } from './send';

/** The moment of a condition header; undefined when there is none or it is no date. */
function momentOf(header: string | undefined): Date | undefined {
  const moment = new Date(header ?? '');
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** What the pipeline needs of the process. */
export interface PipelineEdges {
  readonly admission: Admission;
  readonly access: AccessResolver;
  readonly limits: RateLimits;
  readonly forward: Forwarder;
  /** Licence tier of the instance. */
  readonly tier: string;
  /** Externally visible base URL, without a trailing slash. */
  readonly externalUrl: string;
  /** Tells in a header what a request cost in gRPC calls and SQL statements, the access question left out. */
  readonly showCost: boolean;
}

const isForward = (answer: Answer): answer is Forward => 'forward' in answer;
const isPage = (answer: Representation | RepresentationPage): answer is RepresentationPage =>
  'page' in answer && answer.page !== undefined;

/**
 * One request, in this order: parameters are read (a token may be among them); token, sudo and target are resolved in
 * one call; 401 and scope; 400 with every problem; 404 or 403 of the target; limits; the handler, which waits for room at its service; the reply.
 */
export function pipeline(route: Route, edges: PipelineEdges): RequestHandler {
  const kind = targetKind(route);
  const listParameters = route.list === undefined ? {} : pageParameters(route.list);
  const shape: z.ZodRawShape = { ...route.params, ...listParameters };
  const pathNames = [...route.path.matchAll(/:([a-z_]+)/g)]
    .map((match) => match[1] as string)
    .filter((name) => kind === undefined || name !== targetParameter);
  const pathShape = Object.fromEntries(pathNames.map((name) => [name, route.path_params?.[name] ?? text()]));
  const bodyRules = {
    limit: route.bodyLimit ?? defaultBodyLimit,
    asWritten: new Set(Object.keys(shape).filter((name) => isAsWritten(shape[name]))),
  };
  const defaultStatus = Number(Object.keys(route.returns)[0]);

  return async (request: Request, response: Response, _next: NextFunction): Promise<void> => {
    edges.admission.knock(route);
    const requestId = response.getHeader('X-Request-Id') as string;
    const raw = route.upload === undefined ? await readParameters(request, response, bodyRules) : readQuery(request);
    const question = {
      token: tokenOf(request, raw),
      sudo: sudoOf(request, raw),
      target: kind === undefined ? undefined : { kind, name: String(request.params[targetParameter]) },
      address: request.ip,
    };
    let { answer, fresh } = await edges.access.resolve(question, requestId);
    const refusal = (): AppError | undefined =>
      refusalOfCaller(route, answer) ?? refusalOfTarget(route, answer, edges.tier, raw);
    // A cached answer may be a second old: it may admit, but never refuse.
    if (!fresh && refusal() !== undefined)
      ({ answer, fresh } = await edges.access.resolve(question, requestId, { fresh: true }));
    refuseToken(answer, question.sudo);
    const actor: Actor = answer.actor ?? anonymous;
    edges.limits.throttle(request, response, actor);
    const ofCaller = refusalOfCaller(route, answer);
    if (ofCaller !== undefined) throw ofCaller;

    const checkedPath = checkParameters(pathShape, request.params as Record<string, unknown>);
    const checked = checkParameters(shape, raw, route.relations, actor.admin);
    const paging = route.list === undefined || checked.value === undefined ? undefined : pageRequest(checked.value);
    refuseProblems([...checkedPath.problems, ...checked.problems, ...(paging?.problems ?? [])]);

    const ofTarget = refusalOfTarget(route, answer, edges.tier, raw);
    if (answer.movedTo > 0 && answer.access === undefined)
      return redirect(request, response, answer.movedTo, edges.externalUrl);
    if (ofTarget !== undefined) throw ofTarget;
    if (route.limit !== undefined) edges.limits.apply(route.limit, request, actor);
    const { limitWith } = route;
    if (limitWith !== undefined && Object.hasOwn(raw, limitWith.parameter))
      edges.limits.apply(limitWith.limit, request, actor);

    const abort = new AbortController();
    response.on('close', () => {
      if (!response.writableFinished) abort.abort();
    });
    const identity = { actor, access: answer.access, directorySequence: answer.directorySequence };
    const options = { ...identity, requestId, signal: abort.signal, idempotent: route.method === 'get' };
    const visit = edges.admission.visit(route, options);
    const page = paging?.page ?? noPage;
    const handling = (): Promise<Answer> =>
      route.handle({
        params: checked.value as never,
        path: checkedPath.value as never,
        access: answer.access as Access,
        actor,
        page,
        call: visit.client,
        unmodifiedSince: momentOf(request.get('if-unmodified-since')),
      });
    const { result: reply, cost } = await (edges.showCost
      ? measureCost(handling)
      : handling().then((result) => ({ result, cost: undefined }))
    ).finally(() => {
      visit.leave();
      if (route.method !== 'get' && visit.called.has(ownerOfAccess)) edges.access.forget();
    });
    if (cost) response.setHeader('X-Switchyard-Cost', `calls=${cost.calls}, statements=${cost.statements}`);
    if (isForward(reply)) return edges.forward(request, response, reply.forward, { ...identity, requestId });
    if ('raw' in reply) return sendJson(request, response, defaultStatus, reply.raw, reply.contentType);
    if (isPage(reply) && reply.page !== undefined && route.list !== undefined) {
      const url = new URL(request.originalUrl, edges.externalUrl);
      for (const [name, value] of Object.entries(pageHeaders(url, reply.page, route.list, page.descending)))
        response.setHeader(name, value);
    }
    sendJson(request, response, reply.status || defaultStatus, reply.json);
  };
}

const targetParameter = 'id';
const noPage: PageRequest = { keyset: false, page: 1, perPage: 20, cursor: '', orderBy: '', descending: false };

/** A project or group addressed by a path it had before (G-1-7). */
function redirect(request: Request, response: Response, id: number, externalUrl: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new AppError('not_allowed', 'Non GET methods are not allowed for moved projects');
  }
  const location = new URL(request.originalUrl.replace(/^(\/api\/v4\/[a-z_]+\/)[^/?]+/, `$1${id}`), externalUrl).href;
  response
    .status(301)
    .set('Location', location)
    .type('text/plain')
    .send(`This resource has been moved permanently to ${location}`);
}
