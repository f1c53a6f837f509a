import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError, notFound, unavailable } from '@switchyard/errors';
import { Access_Kind, type Claims } from '@switchyard/protos/rpc/v1/identity';
import { logger, withRequestId } from '@switchyard/telemetry';
import { begunNoter, trackBegun } from './begun';
import { ClaimsRefused, forwardedMethod, identityKey, type TrustedKeys, verifyClaims } from './identity';
import { relayedKey } from './relay';
import { type RequestTaker, relayRequest } from './relay-request';
import { anonymous, type WriteGuard } from './server';
import { UsedClaims } from './used-claims';

/** A request that the gateway streams on to the internal HTTP port, admitted by its signed claims (D3). */
export interface ForwardedCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly claims: Claims;
  /** The project of the signed access, which is the one that the path names; 0 where the endpoint has another target. */
  readonly projectId: number;
  /** The same of a group. */
  readonly groupId: number;
  /** Further parts of the path that the pattern caught, decoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

/** What answers some requests of the internal HTTP port. */
export interface ForwardedEndpoint {
  readonly methods: readonly string[];
  /** What the path names first; a project where it is not said. */
  readonly target?: 'group' | 'instance';
  /** Form of the path without its query; the first part it catches is the id of the project or group. */
  readonly path: RegExp;
  /** The process that answers for a project where it is not this one; absent where this one answers all. */
  readonly elsewhere?: ((projectId: number) => Promise<RequestTaker | undefined>) | undefined;
  /** Nothing of the body is kept, neither stored nor in memory. */
  readonly keepsNothing?: true;
  /**
   * Replies. An `AppError` before the head is sent becomes its status and body (G-7); a later error breaks the reply
   * off.
   */
  readonly run: (call: ForwardedCall) => Promise<void>;
}

/** What admission needs. */
export interface ForwardedEdges {
  readonly trusted: TrustedKeys;
  /** Waits until the local directory has reached a sequence (D5). */
  readonly ensureDirectory: (sequence: number) => Promise<void>;
  /** Tells failures after a write from others; absent where there is no database. */
  readonly guardWrites?: WriteGuard | undefined;
}

/** Answers requests that the gateway forwards, and no others. */
export function forwardedHttp(edges: ForwardedEdges, endpoints: readonly ForwardedEndpoint[]): RequestListener {
  const gate = { ...edges, used: new UsedClaims() };
  return (request, response) => {
    withRequestId(String(request.headers['x-request-id'] ?? ''), () =>
      handle(gate, endpoints, request, response).catch((error: unknown) => fail(request, response, error)),
    );
  };
}

interface Gate extends ForwardedEdges {
  readonly used: UsedClaims;
}

async function handle(
  edges: Gate,
  endpoints: readonly ForwardedEndpoint[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  for (const endpoint of endpoints) {
    const found = endpoint.path.exec(path);
    if (found === null || !endpoint.methods.includes(request.method ?? '')) continue;
    const claims = await admit(edges, request);
    const { target } = endpoint;
    const named = target === 'instance' ? 0 : Number(found[1]);
    const kind = target === 'group' ? Access_Kind.KIND_GROUP : Access_Kind.KIND_PROJECT;
    if (target !== 'instance' && (claims.access?.id !== named || claims.access.kind !== kind))
      throw new AppError('forbidden');
    const other = request.headers[relayedKey] === undefined ? await endpoint.elsewhere?.(named) : undefined;
    if (other !== undefined) return relayRequest(other, request, response);
    const parts = found.slice(target === 'instance' ? 1 : 2).map((part = '') => decodeURIComponent(part));
    const place = { projectId: target === undefined ? named : 0, groupId: target === 'group' ? named : 0 };
    const call = { request, response, claims, ...place, parts, query: new URLSearchParams(query) };
    const run = () => endpoint.run(call);
    // A transfer is never too late for its first write.
    await trackBegun(() => edges.guardWrites?.({ refuseLate: () => undefined, noteBegun: begunNoter() }, run) ?? run());
    return;
  }
  throw notFound();
}

async function admit(edges: Gate, request: IncomingMessage): Promise<Claims> {
  const signed = request.headers[identityKey];
  const claims = verifyClaims(edges.trusted, edges.used, {
    method: forwardedMethod(request.method ?? '', request.url ?? ''),
    signed: typeof signed === 'string' ? Buffer.from(signed, 'base64') : undefined,
  });
  if (claims.caller !== 'gateway') throw new AppError('forbidden');
  if (claims.directorySequence > 0) await edges.ensureDirectory(claims.directorySequence);
  return { ...claims, actor: claims.actor ?? anonymous };
}

function fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const known = error instanceof AppError ? error : new AppError('internal', undefined, { cause: error });
  if (known.kind === 'internal' || known.kind === 'unavailable') {
    const left = request.aborted || response.destroyed;
    logger[left ? 'debug' : 'error']({ err: error, path: request.url?.split('?')[0] }, 'internal request failed');
  }
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  // As between processes that call each other: the client's token is not what is wrong.
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const answer =
    known instanceof ClaimsRefused || (known.begun && isRead) ? unavailable(known, known.retryAfter) : known;
  const body = Buffer.from(JSON.stringify(answer.body));
  response.writeHead(answer.status, {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    ...(answer.retryAfter === undefined || answer.begun ? {} : { 'Retry-After': String(answer.retryAfter) }),
  });
  if (request.method === 'HEAD') response.end();
  else if (request.complete) response.end(body);
  else {
    response.write(body);
    drainBody(request, () => response.end());
  }
}

/** Bytes and milliseconds for which the rest of a refused body is read and dropped. */
const maxDrainBytes = 16 << 20;
const drainTimeoutMs = 2_000;

/**
 * Calls `then` after the end of the body: closing the connection earlier would reach the sender as a reset, instead of
 * the reply.
 */
function drainBody(request: IncomingMessage, then: () => void): void {
  let size = 0;
  const timer = setTimeout(done, drainTimeoutMs);
  function done(): void {
    clearTimeout(timer);
    request.off('data', count);
    then();
  }
  function count(chunk: Buffer): void {
    size += chunk.length;
    if (size > maxDrainBytes) done();
  }
  request.once('end', done).once('close', done).on('data', count);
  request.resume();
}
