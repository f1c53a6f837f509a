import { Agent, type ClientRequest, type ClientRequestArgs, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { mayHaveBegun, unavailable } from '@switchyard/errors';
import { forwardedMethod, type Identity, identityKey, relayedKey, type Signer, signClaims } from '@switchyard/rpc';
import type { Request, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import type { GiveWay } from './give-way';
import { mostKept } from './keyed-requests';
import type { KeyedUpload } from './keyed-uploads';
import { renderError } from './render-error';

/** Milliseconds after which an idle connection is given up: long before the services close it, after 75,000. */
const idleMs = 4_000;

/**
 * Whether a request may go over a connection that is kept. One with a body may not: a service that refuses it closes the connection with the
 * rest of the body unread, and the next request on it would end as if it might have been carried out.
 */
const sharesConnections = ({ method, headers }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') && !headers['content-length'] && !headers['transfer-encoding'];

/** Milliseconds for which a connection is tried, as long as a call waits for one, and between two attempts. */
const [connectWithinMs, betweenAttemptsMs] = [2_000, 50];

type Connected = (error: Error | null, socket: Duplex) => void;

/**
 * Connects to a service of several processes behind one address. One that has died still gets its share of new connections until the
 * cluster has noticed, and refuses them; nothing has been sent by then, so another connection is tried.
 */
class PersistentAgent extends Agent {
  override createConnection(options: ClientRequestArgs, connected: Connected): undefined {
    const until = Date.now() + connectWithinMs;
    const attempt = (): void => {
      const socket = super.createConnection(options) as Duplex;
      const failed = (error: Error): void => {
        if (wasSent(error) || Date.now() >= until) connected(error, socket);
        else setTimeout(attempt, betweenAttemptsMs);
      };
      socket.once('error', failed).once('connect', () => {
        socket.off('error', failed);
        connected(null, socket);
      });
    };
    attempt();
  }
}

/** Bytes from which on a body is a transfer. */
const transferSize = 1 << 20;

/** Whether a body is a transfer, which gives way: it is large, or nobody knows. */
const isTransfer = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] === undefined
    ? headers['transfer-encoding'] !== undefined
    : Number(headers['content-length']) >= transferSize;

/**
 * Streams a request to a service's internal HTTP port, both ways, with signed metadata.
 * @param upload one with a key, whose reply is kept before it is sent
 */
export type Forwarder = (
  request: Request,
  response: Response,
  to: { to: string; path: string },
  identity: Identity & { requestId: string },
  upload?: KeyedUpload,
) => Promise<void>;

/**
 * Builds the forwarder over the internal HTTP addresses by service name.
 * @param reach throws `unavailable` for a service that hangs: a transfer may pause for minutes, so HTTP itself would
 * not find out
 * @param way has large bodies give way to others
 */
export function forwarder(
  addresses: Readonly<Record<string, string>>,
  signer: Signer,
  reach: (service: string) => Promise<void>,
  way: GiveWay,
): Forwarder {
  // Without an agent of its own the proxy makes a connection a request, and has the client make one as well.
  const kept = new PersistentAgent({ keepAlive: true, timeout: idleMs });
  const single = new PersistentAgent({ keepAlive: false });
  const proxiesOver = (agent: Agent, holdsReply = false) =>
    new Map(Object.entries(addresses).map(([name, target]) => [name, proxyTo(name, target, agent, holdsReply)]));
  /** How a request is sent once more, over a connection of its own. */
  const repetitions = new WeakMap<Request, () => Promise<void>>();
  const sent = new WeakMap<Request, ClientRequest>();
  const uploads = new WeakMap<Request, KeyedUpload>();
  const proxyTo = (name: string, target: string, agent: Agent, holdsReply: boolean) =>
    createProxyMiddleware<Request, Response>({
      target,
      agent,
      selfHandleResponse: holdsReply,
      changeOrigin: false,
      xfwd: false,
      proxyTimeout: 600_000,
      timeout: 600_000,
      on: {
        // The proxy itself watches the request alone, which is whole long before the client may leave.
        proxyReq: (forwarded, request, response) => {
          sent.set(request, forwarded);
          // The proxy says so once the request has its socket.
          if (isTransfer(request) && forwarded.socket) forwarded.once('close', way.join(forwarded.socket));
          const upload = uploads.get(request);
          // The proxy keeps quiet about a connection that breaks when the client has left.
          const lost = (): void => void breakOff(request, response, new Error(`${name} did not reply`), upload);
          if (upload !== undefined) forwarded.once('close', lost).once('response', () => forwarded.off('close', lost));
          // A request that was answered before its body had come says nothing when its connection closes.
          const onClose = (): void => {
            // The answer to a request with a key is kept for a client that has gone.
            if (upload?.isWhole()) return;
            // What comes of a body after its answer is dropped, and does not reach the service.
            if (!response.writableFinished || !forwarded.writableEnded) forwarded.destroy();
          };
          // It may have hung when it was reached, and have been found out since.
          const again = setInterval(() => {
            reach(name).catch((error: Error) => forwarded.destroy(error));
          }, hanging.lookEveryMs);
          for (const end of ['response', 'close']) forwarded.once(end, () => clearInterval(again));
          if (response.destroyed) onClose();
          else response.once('close', onClose);
        },
        proxyRes: (reply, request, response) => {
          if (!isTransfer(reply)) {
            if (!isTransfer(request)) way.answered();
          } else if (response.socket) response.once('close', way.join(response.socket));
          const upload = uploads.get(request);
          if (upload !== undefined) {
            passOn(reply, response, upload).catch((error: Error) => breakOff(request, response, error, upload));
            return;
          }
          // The proxy waits for an end that does not come when the service dies after the head.
          reply.once('close', () => {
            if (!reply.complete) void breakOff(request, response, new Error(`${name} broke its reply off`));
          });
        },
        error: (error, request, response) => {
          const repeat = repetitions.get(request);
          repetitions.delete(request);
          const { headersSent, destroyed } = response as Response;
          // A service that stops, or has kept the connection for long enough, may close it as the next request comes.
          const { code = '' } = error as NodeJS.ErrnoException;
          const missed = sent.get(request)?.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(code);
          if (missed && repeat !== undefined && !headersSent && !destroyed) void repeat();
          else void breakOff(request, response as Response, error, uploads.get(request));
        },
      },
    });
  const [overKept, overSingle, holding] = [proxiesOver(kept), proxiesOver(single), proxiesOver(single, true)];
  return async (request, response, { to, path }, identity, upload) => {
    const chosen = upload !== undefined ? holding : sharesConnections(request) ? overKept : overSingle;
    const proxy = chosen.get(to);
    try {
      if (proxy === undefined) throw unavailable(new Error(`no internal HTTP address for ${to}`));
      await reach(to);
    } catch (error) {
      await upload?.failed(error);
      throw error;
    }
    if (upload !== undefined) uploads.set(request, upload);
    request.url = path;
    // `Expect` has been answered here; the proxy would not show us a request that has it.
    for (const name of [
      'private-token',
      'job-token',
      'deploy-token',
      'authorization',
      'cookie',
      'sudo',
      'expect',
      identityKey,
      relayedKey,
    ])
      delete request.headers[name];
    const bound = forwardedMethod(request.method, path);
    const address = request.ip;
    request.headers['x-request-id'] = identity.requestId;
    const forwardOver = async (chosen: typeof proxy): Promise<void> => {
      // Claims are good for one request.
      request.headers[identityKey] = signClaims(signer, bound, identity.requestId, { ...identity, address }).toString(
        'base64',
      );
      await chosen(request, response, (error?: unknown) => void breakOff(request, response, error as Error, upload));
    };
    const single = overSingle.get(to);
    if (chosen === overKept && single !== undefined) repetitions.set(request, () => forwardOver(single));
    await forwardOver(proxy);
  };
}

/** Milliseconds between two checks of a service that has not begun its reply. */
export const hanging = { lookEveryMs: 2_500 } as const;

/** Whether the service may have read the request: it had been reached. */
const wasSent = (error: Error & { readonly code?: string }): boolean =>
  !['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? '');

/** Sends the reply to an upload with a key once it is kept. One that is too long for that is streamed on. */
async function passOn(reply: IncomingMessage, response: Response, upload: KeyedUpload): Promise<void> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of reply.iterator({ destroyOnReturn: false })) {
    pieces.push(piece);
    size += piece.length;
    if (size > mostKept) break;
  }
  const [status, body] = [reply.statusCode as number, Buffer.concat(pieces)];
  await upload.answered({ status, contentType: reply.headers['content-type'] ?? '', body });
  if (response.destroyed || response.headersSent) {
    reply.destroy();
    return;
  }
  response.status(status);
  for (const [name, value] of Object.entries(reply.headers))
    if (value !== undefined && !ofConnection.has(name)) response.setHeader(name, value);
  if (size <= mostKept) response.end(body);
  else {
    reply.once('close', () => {
      // A reply that was broken off must not look whole, nor keep its reader.
      if (!reply.complete) response.destroy();
    });
    response.write(body);
    reply.pipe(response);
  }
}

/** Headers of the connection to the service, not of its reply. */
const ofConnection: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Replies that were broken off already. */
const brokenOff = new WeakSet<Response>();

/**
 * A service that cannot be reached costs its own endpoints a 503 (D3), as does one that is lost before it has the whole of an
 * upload with a key; one that broke off in the middle of a reply must not look whole.
 */
async function breakOff(request: Request, response: Response, error: Error, upload?: KeyedUpload): Promise<void> {
  // The proxy's error and the end of its request both lead here; what still comes of the body is being read on.
  if (brokenOff.has(response)) return;
  brokenOff.add(response);
  const isUnknown = wasSent(error) && upload?.isWhole() !== false;
  const failure = isUnknown ? mayHaveBegun(error) : unavailable(error);
  if (upload !== undefined) await upload.failed(failure);
  // The reply is complete, or the client has gone.
  if (response.writableEnded || response.destroyed) return;
  renderError(failure, request, response, () => undefined);
}
