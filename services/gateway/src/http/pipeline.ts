import { AppError, isAppError, notFound, unauthorized } from '@switchyard/errors';
import type { ResolveResponse } from '@switchyard/protos/groups_admin/v1/access';
import type { KeptAnswer } from '@switchyard/protos/groups_admin/v1/idempotency';
import type { Access } from '@switchyard/protos/rpc/v1/identity';
import type { PageRequest, Representation, RepresentationPage } from '@switchyard/protos/rpc/v1/representation';
import { type Identity, measureCost, type ServiceDefinition, trackBegun } from '@switchyard/rpc';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import { refuseOtherThanJson } from './accept';
import { noteCaller } from './access-log';
import { type Admission, ownerOfAccess } from './admission';
import { accountOf, credentialOf, sudoOf } from './authenticate';
import {
  isLeftToService,
  readsPackages,
  refusalOfCaller,
  refusalOfJob,
  refusalOfLocated,
  refusalOfTarget,
  takes,
  targetKind,
} from './authorize';
import { checkParameters, refuseProblems } from './check-parameters';
import { addressKey } from './client-address';
import { type BoundClient, bind, type Peers } from './clients';
import type { EventStreams } from './event-streams/event-streams';
import { shownUrl } from './external-url';
import type { Forwarder } from './forward';
import type { GiveWay } from './give-way';
import {
  type Attempt,
  callerOf,
  fingerprintOf,
  idempotencyKeyOf,
  type KeyedRequests,
  otherRequest,
  replayedHeader,
  takesKey,
} from './keyed-requests';
import { answerToUpload, keyedUpload } from './keyed-uploads';
import { pageHeaders, pageParameters, pageRequest } from './page';
import { isAsWritten, isFile, text } from './params';
import type { RateLimits } from './rate-limits';
import { hasParameters, type RawParameters, readQuery } from './read-parameters';
import { type AccessResolver, actorOf, keyOf, type Question, refuseToken } from './resolve-access';
import { isOutside } from './restrict-addresses';
import { type Answer, type Events, type Forward, isStreamed, type Route } from './route';
import type { RouteBodies } from './route-bodies';
import { pathNames, pathValues } from './route-path';
import { sendJson } from './send';
import { streamBody } from './stream-body';

/** The date in a condition header; undefined without a header, or when it is no date. */
function dateOf(header: string | undefined): Date | undefined {
  const date = new Date(header ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** What the pipeline needs of the process. */
export interface PipelineEdges {
  readonly admission: Admission;
  readonly access: AccessResolver;
  readonly limits: RateLimits;
  readonly bodies: RouteBodies;
  readonly forward: Forwarder;
  /** Has large files give way to other requests. */
  readonly way: Pick<GiveWay, 'answered'>;
  readonly streams: EventStreams;
  readonly keyed: KeyedRequests;
  /** Services, for calls that outlast a place in `admission`. */
  readonly peers: Pick<Peers, 'client'>;
  /** Licence tier of the instance. */
  readonly tier: string;
  /** Externally visible base URL, without a trailing slash. */
  readonly externalUrl: string;
  /**
   * Adds a header with the number of gRPC calls and SQL statements of a request, without the call that resolves access.
   */
  readonly showCost: boolean;
}

const isForward = (answer: Answer): answer is Forward => 'forward' in answer;
const isEvents = (answer: Answer): answer is Events => 'follow' in answer;
const isPage = (answer: Representation | RepresentationPage): answer is RepresentationPage =>
  'page' in answer && answer.page !== undefined;

/** True where the target is named by a path it had before (G-1-7). */
const isMoved = ({ movedTo, access }: ResolveResponse): boolean => movedTo > 0 && access === undefined;

/**
 * One request, in this order: the query is read; token, sudo and target are resolved in one call; 401 and scope; 404 or
 * 403 of the target; limits; the body is read; 400 with every problem; where a route locates it, the project of what the
 * request names, with its 404 and 403; of a write with a key the answer of the first one (ADR 50); the handler, which
 * waits for a slot at its service; the reply. Only of a caller who shows no token the body comes first, since one may be
 * in it, into the small room that is kept for such.
 */
export function pipeline(route: Route, edges: PipelineEdges): RequestHandler {
  const kind = targetKind(route);
  const listParameters = route.list === undefined ? {} : pageParameters(route.list);
  const shape: z.ZodRawShape = { ...route.params, ...listParameters };
  const names = pathNames(route.path).filter((name) => kind === undefined || name !== targetParameter);
  const pathShape = Object.fromEntries(names.map((name) => [name, route.path_params?.[name] ?? text()]));
  const asWritten = new Set(Object.keys(shape).filter((name) => isAsWritten(shape[name])));
  const files = new Set(Object.keys(shape).filter((name) => isFile(shape[name])));
  const [[status, component] = [], ...otherReplies] = Object.entries(route.returns);
  const defaultStatus = Number(status);
  const isJson = route.events === undefined && (component !== undefined || otherReplies.length > 0);

  /**
   * The caller and what they request; throws the refusal of those who may not, where the target has not moved. `sent` is what is
   * known of the parameters.
   */
  async function admit(
    request: Request,
    response: Response,
    question: Question,
    sent: RawParameters,
    signal: AbortSignal,
  ): Promise<ResolveResponse> {
    const requestId = response.getHeader('X-Request-Id') as string;
    // Where its kind is not taken a token is as good as unknown, and is not looked up.
    if (!takes(route, question.kind ?? 'user')) throw unauthorized();
    let { answer, fresh } = await edges.access.resolve(question, requestId, { signal });
    const refusal = (): AppError | undefined =>
      refusalOfCaller(route, answer) ??
      refusalOfTarget(route, answer, edges.tier, sent) ??
      refusalOfJob(answer.actor, request.params);
    // A cached answer may be a second old: it may admit, but never refuse.
    if (!fresh && (refusal() !== undefined || isLeftToService(route, answer, sent)))
      ({ answer, fresh } = await edges.access.resolve(question, requestId, { fresh: true, signal }));
    noteCaller(response, actorOf(answer));
    edges.limits.throttle(request, response, actorOf(answer));
    refuseToken(answer, question.sudo);
    const ofCaller = refusalOfCaller(route, answer);
    if (ofCaller !== undefined) throw ofCaller;
    const ofTarget = isMoved(answer) ? undefined : refusalOfTarget(route, answer, edges.tier, sent);
    if (ofTarget !== undefined) throw ofTarget;
    const ofJob = refusalOfJob(answer.actor, request.params);
    if (ofJob !== undefined) throw ofJob;
    return answer;
  }

  /**
   * Whether a caller may still do what they were admitted to, on the target with this id; throws the refusal. The name
   * in the path may belong to another target by now.
   */
  async function askAgain(question: Question, sent: RawParameters, admittedId: number | undefined): Promise<void> {
    const answer = await edges.access.again(question);
    refuseToken(answer, question.sudo);
    const refusal = refusalOfCaller(route, answer) ?? refusalOfTarget(route, answer, edges.tier, sent);
    if (refusal !== undefined) throw refusal;
    if (answer.access?.id !== admittedId) throw notFound();
  }

  /**
   * Refuses to put something into a group that is closed to the address of the caller, as one that is not there. Groups
   * that the caller does not see are for the service to refuse.
   */
  async function refuseGroupsOutside(
    question: Question,
    values: Readonly<Record<string, unknown>>,
    requestId: string,
    signal: AbortSignal,
  ): Promise<void> {
    for (const parameter of route.groupsIn ?? []) {
      const name = values[parameter];
      if (!name) continue;
      const target = { kind: 'group', name: String(name) } as const;
      const options = { signal };
      let found = await edges.access.resolve({ ...question, target, marked: undefined }, requestId, options);
      // A cached answer may admit, but never refuse.
      if (!found.fresh && isOutside(found.answer))
        found = await edges.access.resolve({ ...question, target, marked: undefined }, requestId, {
          fresh: true,
          signal,
        });
      if (isOutside(found.answer)) throw notFound('Group');
    }
  }

  /** The caller's access to the project or group in which the owner finds what the request names (D3). */
  async function admitToLocated(
    locate: NonNullable<Route['locate']>,
    question: Question,
    { params, path }: { params: unknown; path: unknown },
    options: Identity & { readonly requestId: string; readonly signal: AbortSignal },
  ): Promise<ResolveResponse> {
    const visit = edges.admission.visit(route, { ...options, idempotent: true });
    const place = await locate
      .place({ params: params as never, path: path as never, call: visit.client })
      .finally(() => visit.leave());
    const target =
      'groupId' in place
        ? ({ kind: 'group', name: String(place.groupId) } as const)
        : ({ kind: 'project', name: String(place.projectId) } as const);
    const located = { ...question, target };
    const { requestId, signal } = options;
    let found = await edges.access.resolve(located, requestId, { signal });
    // A cached answer may admit, but never refuse.
    const { answer, fresh } = found;
    if (!fresh && (refusalOfLocated(route, place, answer, edges.tier) !== undefined || isLeftToService(route, answer)))
      found = await edges.access.resolve(located, requestId, { fresh: true, signal });
    const refusal = refusalOfLocated(route, place, found.answer, edges.tier);
    if (refusal !== undefined) throw refusal;
    return found.answer;
  }

  /** Answers with a stream of events. */
  function streamEvents(
    request: Request,
    response: Response,
    { follow }: Events,
    asked: { question: Question; sent: RawParameters; identity: Identity; requestId: string },
  ): Promise<void> {
    const { question, sent, identity, requestId } = asked;
    const { userId } = identity.actor ?? { userId: 0 };
    const admittedId = identity.access?.id;
    const reader = {
      caller: userId > 0 ? `user ${userId}` : `address ${addressKey(request.ip)}`,
      question: {
        // Readers of one token may come from several addresses, of which not all are let in.
        name: `${route.path} ${admittedId} ${request.ip} ${keyOf(question)}`,
        ask: () => askAgain(question, sent, admittedId),
      },
    };
    const callWithin =
      (signal: AbortSignal, timeoutMs: number) =>
      <T extends ServiceDefinition>(definition: T): BoundClient<T> =>
        bind(edges.peers.client(definition), { ...identity, requestId, signal, timeoutMs });
    if ('each' in follow)
      return edges.streams.serve(request, response, {
        ...reader,
        each: (signal, timeoutMs) => follow.each(callWithin(signal, timeoutMs)),
      });
    return edges.streams.serve(request, response, {
      ...reader,
      event: route.events as string,
      subject: `${route.path} ${follow.subject}`,
      open: (signal, timeoutMs) => follow.open(callWithin(signal, timeoutMs)),
    });
  }

  const serve = async (request: Request, response: Response): Promise<void> => {
    response.locals.errorText = route.errorText;
    edges.admission.knock(route);
    const abort = new AbortController();
    response.on('close', () => {
      if (!response.writableFinished) abort.abort();
    });
    const requestId = response.getHeader('X-Request-Id') as string;
    if (isJson) refuseOtherThanJson(request, route.challenges === true);
    const idempotencyKey = takesKey(route) ? idempotencyKeyOf(request) : undefined;
    let raw: RawParameters = readQuery(request);
    let isBodyToCome = !isStreamed(route) && hasParameters(request);
    const rules = { limit: route.bodyLimit, asWritten, files };
    if (isBodyToCome && credentialOf(request, raw, route) === undefined) {
      raw = { ...raw, ...(await edges.bodies.ofAnonymousCaller(request, response, rules)) };
      isBodyToCome = false;
    }
    const presented = (): Pick<Question, 'token' | 'kind' | 'username' | 'account'> => {
      const credential = credentialOf(request, raw, route);
      return { token: undefined, ...credential, account: accountOf(credential) };
    };
    const question = (): Question => ({
      ...presented(),
      sudo: sudoOf(request, raw),
      target: kind === undefined ? undefined : { kind, name: String(request.params[targetParameter]) },
      address: request.ip,
      marked: route.includesMarked,
      packages: readsPackages(route) || undefined,
      anyAddress: route.anyAddress,
    });
    const first = question();
    const keyedRequest = (by: ResolveResponse) => ({
      caller: callerOf(actorOf(by)),
      key: idempotencyKey as string,
      fingerprint: fingerprintOf(request, raw, route),
    });
    /** The answer of the first request with the same key, for a caller who is not, or no longer, admitted to the target. */
    const answeredBefore = async (caller: ResolveResponse): Promise<KeptAnswer | undefined> => {
      refuseToken(caller, first.sudo);
      // A job may act in its project alone, whatever its user once did elsewhere.
      if (actorOf(caller).job !== undefined) return undefined;
      if (isBodyToCome) {
        raw = { ...raw, ...(await edges.bodies.ofUser(request, response, actorOf(caller), rules)) };
        isBodyToCome = false;
      }
      return edges.keyed.known(keyedRequest(caller), requestId);
    };
    /** Answers as the first time; `otherwise` where another upload has come. */
    const sendAgain = async (known: KeptAnswer, otherwise: () => void): Promise<void> => {
      const same = isStreamed(route) ? await answerToUpload(request, response, known) : known;
      if (same === 'other') otherwise();
      else if (same !== undefined) sendKept(request, response, same);
    };
    const toNewPlace = (moved: ResolveResponse): void => redirect(request, response, moved.movedTo, edges.externalUrl);
    let answer: ResolveResponse;
    try {
      answer = await admit(request, response, first, raw, abort.signal);
    } catch (error) {
      // What the first request deleted, or left, is not there for the second.
      if (idempotencyKey === undefined || !isAppError(error, 'forbidden', 'not_found')) throw error;
      const options = { signal: abort.signal };
      const { answer: refused } = await edges.access.resolve(first, requestId, options);
      if (isOutside(refused)) throw error;
      const { answer: caller } = await edges.access.resolve({ ...first, target: undefined }, requestId, options);
      const known = await answeredBefore(caller);
      if (known === undefined) throw error;
      return sendAgain(known, () => {
        throw error;
      });
    }
    if (isMoved(answer)) {
      // The first request may have been what moved it.
      const known = idempotencyKey === undefined ? undefined : await answeredBefore(answer);
      if (known === undefined) return toNewPlace(answer);
      const moved = answer;
      return sendAgain(known, () => toNewPlace(moved));
    }
    if (route.limit !== undefined) edges.limits.apply(route.limit, request, actorOf(answer));
    if (isBodyToCome) {
      raw = { ...raw, ...(await edges.bodies.ofUser(request, response, actorOf(answer), rules)) };
      // The body may name the user that an administrator acts for, and hold parameters that require more than the route
      // does.
      if (sudoOf(request, raw) !== first.sudo || refusalOfTarget(route, answer, edges.tier, raw) !== undefined)
        answer = await admit(request, response, { ...first, sudo: sudoOf(request, raw) }, raw, abort.signal);
      if (isMoved(answer)) return toNewPlace(answer);
    }
    const actor = actorOf(answer);

    const checkedPath = checkParameters(pathShape, pathValues(request.params));
    const checked = checkParameters(shape, raw, route.relations, actor.admin, request.params);
    const paging =
      route.list === undefined || checked.value === undefined ? undefined : pageRequest(checked.value, route.list);
    refuseProblems([...checkedPath.problems, ...checked.problems, ...(paging?.problems ?? [])], checked.alone);
    const { limitWith } = route;
    if (limitWith !== undefined && Object.hasOwn(raw, limitWith.parameter))
      edges.limits.apply(limitWith.limit, request, actor);

    if (route.groupsIn !== undefined)
      await refuseGroupsOutside(
        question(),
        { ...(checked.value as object), ...(checkedPath.value as object) },
        requestId,
        abort.signal,
      );

    if (route.locate !== undefined) {
      const sent = { params: checked.value, path: checkedPath.value };
      const options = { actor, directorySequence: answer.directorySequence, requestId, signal: abort.signal };
      answer = await admitToLocated(route.locate, question(), sent, options);
    }
    const begun = idempotencyKey === undefined ? undefined : await edges.keyed.begin(keyedRequest(answer), requestId);
    if (begun !== undefined && 'status' in begun)
      return sendAgain(begun, () => {
        throw otherRequest();
      });
    const attempt: Attempt | undefined = begun;
    const upload = attempt !== undefined && isStreamed(route) ? keyedUpload(attempt, request, response) : undefined;
    const identity = { actor, access: answer.access, directorySequence: answer.directorySequence };
    // The answer to a request with a key is kept for a client that has gone.
    const signal = attempt === undefined ? abort.signal : new AbortController().signal;
    const options = { ...identity, requestId, signal, idempotent: route.method === 'get' };
    const visit = edges.admission.visit(route, options);
    const page = paging?.page ?? noPage;
    const handle = async (): Promise<Answer> =>
      route.handle({
        params: checked.value as never,
        path: checkedPath.value as never,
        access: identity.access as Access,
        actor,
        page,
        call: visit.client,
        unmodifiedSince: dateOf(request.get('if-unmodified-since')),
        lastEventId: request.get('last-event-id'),
        limits: edges.limits.inForce(),
      });
    // A read has begun nothing.
    const handling = async (): Promise<Answer> =>
      route.method === 'get' ? handle() : (await trackBegun(handle)).result;
    const handled = (
      edges.showCost ? measureCost(handling) : handling().then((result) => ({ result, cost: undefined }))
    ).finally(() => {
      visit.leave();
      if (route.method !== 'get' && visit.called.has(ownerOfAccess)) edges.access.forget();
    });
    const { result: reply, cost } = await handled.catch(async (error) => {
      await (upload ?? attempt)?.failed(error);
      throw error;
    });
    if (upload === undefined) await attempt?.answered(keptOf(reply, defaultStatus));
    if (cost) response.setHeader('X-Switchyard-Cost', `calls=${cost.calls}, statements=${cost.statements}`);
    if (!isForward(reply) && !isEvents(reply)) edges.way.answered();
    if (isForward(reply)) {
      streamBody(request, response, undefined, upload?.failed);
      upload?.watch();
      return edges.forward(request, response, reply.forward, { ...identity, requestId }, upload);
    }
    if (isEvents(reply)) {
      return streamEvents(request, response, reply, { question: first, sent: raw, identity, requestId });
    }
    for (const [name, value] of Object.entries(('raw' in reply && reply.headers) || {}))
      response.setHeader(name, value);
    if ('raw' in reply) return sendJson(request, response, defaultStatus, reply.raw, reply.contentType);
    if (isPage(reply) && reply.page !== undefined && route.list !== undefined) {
      const url = shownUrl(request, edges.externalUrl);
      for (const [name, value] of Object.entries(pageHeaders(url, reply.page, route.list, page.descending)))
        response.setHeader(name, value);
    }
    if (reply.status === 202 && route.pollInterval !== undefined)
      response.setHeader('Poll-Interval', String(route.pollInterval));
    sendJson(request, response, reply.status || defaultStatus, reply.json);
  };

  return async (request: Request, response: Response, _next: NextFunction): Promise<void> => {
    try {
      await serve(request, response);
    } catch (error) {
      if (route.challenges === true && isAppError(error) && error.status === 401)
        response.setHeader('WWW-Authenticate', 'Basic realm="Switchyard"');
      throw error;
    }
  };
}

/** An answer as it is kept for the request that is sent again. */
function keptOf(reply: Answer, defaultStatus: number): KeptAnswer {
  if (isForward(reply) || isEvents(reply)) throw new Error('a request with a key has an answer of its own');
  const body = Buffer.from('raw' in reply ? reply.raw : reply.json);
  const status = ('raw' in reply ? 0 : reply.status) || defaultStatus;
  return { status, contentType: 'raw' in reply ? reply.contentType : 'application/json', body };
}

/** Sends the answer of the first request with the same key. */
function sendKept(request: Request, response: Response, { status, contentType, body }: KeptAnswer): void {
  response.setHeader(replayedHeader, 'true');
  sendJson(request, response, status, body, contentType || 'application/json');
}

const targetParameter = 'id';
const noPage: PageRequest = { keyset: false, page: 1, perPage: 20, cursor: '', orderBy: '', descending: false };

/** A project or group addressed by a path it had before (G-1-7). */
function redirect(request: Request, response: Response, id: number, externalUrl: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new AppError('not_allowed', 'Non GET methods are not allowed for moved projects');
  }
  const url = shownUrl(request, externalUrl);
  url.pathname = url.pathname.replace(
    /(\/api\/v4\/[a-z_]+\/|\/uploads\/-\/system\/[a-z]+\/avatar\/|\/-\/project\/)[^/]+/,
    `$1${id}`,
  );
  response
    .status(301)
    .set('Location', url.href)
    .type('text/plain')
    .send(`This resource has been moved permanently to ${url.href}`);
}
