import { type ErrorKind, isAppError, retrySeconds, retryStatusFor } from '@switchyard/errors';
import type { IngestionServiceReceiveResponse, IngestionServiceService } from '@switchyard/protos/alerts/v1/ingestion';
import type { RpcClient } from '@switchyard/rpc';
import type { Express, NextFunction, Request, Response } from 'express';
import { measureRoute } from './access-log';
import { basicCredentials } from './authenticate';
import { bodyMemory } from './body-memory';
import { addressKey } from './client-address';
import { contentEncodings, decoderOf } from './content-encoding';
import { keyGuard, type Presented } from './key-guard';
import { type PayloadAnswer, receiveOnce } from './keyed-payloads';
import { type KeyedRequests, replayedHeader } from './keyed-requests';
import { type Limit, setThrottleHeaders, type Windows } from './rate-limits';
import { type MinimumRate, receiveBody } from './receive-body';

/** What alert ingestion needs of the process. */
export interface AlertIngestionEdges {
  readonly ingestion: RpcClient<typeof IngestionServiceService>;
  readonly keyed: KeyedRequests;
  /** Largest payload, bytes (G-8-3). */
  readonly payloadLimit: number;
  /** Payloads a project may receive (G-4.12-4); undefined for any number. */
  readonly inboundLimit: Limit | undefined;
  /** In which payloads and wrong keys are counted. */
  readonly windows: Windows;
  /** Factor on the limit of wrong keys; 0 turns it off. */
  readonly scale: number;
  readonly now?: () => number;
}

/** What an address of payloads names. */
export interface AlertAddress {
  /** What stands before `/alerts/notify`: full path of a project, or that and `/prometheus`. */
  readonly projectPath: string;
  /** Empty for an address without one. */
  readonly endpointId: string;
}

const addressForm = /^\/((?:[^/]+\/)+?[^/]+?)\/alerts\/notify(?:\/[^/]+\/([A-Za-z0-9]+))?(?:\.json)?$/;

/**
 * The address of payloads that a URL is (G-4.12-1); undefined for every other. The name slug is decoration, `.json`
 * optional.
 */
export function alertAddressOf(method: string, url: string): AlertAddress | undefined {
  if (method !== 'POST' || url.startsWith('/api/')) return undefined;
  const [path = ''] = url.split('?', 1);
  const found = addressForm.exec(path);
  if (found === null) return undefined;
  const [, encoded = '', endpointId = ''] = found;
  try {
    return { projectPath: decodeURIComponent(encoded), endpointId };
  } catch {
    return undefined;
  }
}

/**
 * The key of a request: Bearer, or the password of Basic credentials, which is also how credentials in a URL arrive
 * (G-4.12-2).
 */
const keyOf = ({ headers: { authorization } }: Request): string =>
  /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1] ?? basicCredentials(authorization)?.password ?? '';

/** Answers for a wrong key, endpoint or project. */
const wrongAnswers = new Set([401, 403, 404]);

/** Wrong keys, unknown endpoints and unknown projects an address may present. */
const wrongKeys: Limit = { requests: 100, seconds: 60 };

/**
 * The time that a body has to come in: senders of a megabyte of alerts are machines on good lines. Those without a
 * right key get nothing but a refusal for it, and are not waited for.
 */
const minimumRates: Readonly<Record<'proven' | 'unproven', MinimumRate>> = {
  proven: { graceMs: 30_000, bytesPerMs: Number.POSITIVE_INFINITY },
  unproven: { graceMs: 3_000, bytesPerMs: Number.POSITIVE_INFINITY },
};

/** Payloads of the largest size that all senders together may have under way, */
const maxConcurrent = 128;

/** and those of one key, as all without a right one together: none of them can take all the memory. */
const maxConcurrentPerAddress = 32;

/** Owner of what is held for senders without a right key; no key has this name. */
const unprovenSenders = '';

/** Why there is no body. */
function reasonOf(error: unknown): ErrorKind {
  if (isAppError(error)) return error.kind;
  throw error;
}

/**
 * The door for payloads of monitoring tools at `/<full path>/alerts/notify…` (G-4.12): reads no more than a payload may
 * have, keeps the limits, and hands the bytes to alerts in one call. Every answer but 200 has an empty body, and no
 * failure is the sender's to see as a 500: it has to retry.
 */
export function alertIngestion(edges: AlertIngestionEdges): (app: Express) => void {
  const { ingestion, keyed, payloadLimit, inboundLimit, scale, windows, now = Date.now } = edges;
  const guard = keyGuard({ address: wrongKeys }, scale, windows, now);

  const memory = bodyMemory(maxConcurrent * payloadLimit, maxConcurrentPerAddress * payloadLimit);

  const presentedBy = ({ ip }: Request, key: string, { projectPath, endpointId }: AlertAddress): Presented => ({
    ip: addressKey(ip),
    name: `${key}\0${projectPath}\0${endpointId}`,
  });

  /** Whether the sender has a right key; undefined when the request may not go on, and has been answered. */
  async function isProven(
    request: Request,
    response: Response,
    presented: Presented,
    isRight: () => Promise<boolean>,
  ): Promise<boolean | undefined> {
    const admission = await guard.admit(presented, isRight).catch(() => 'unavailable' as const);
    if (admission === 'right' || admission === 'wrong') return admission === 'right';
    if (admission === 'unavailable') response.set('Retry-After', String(retrySeconds())).status(503).end();
    else refuseForNow(request, response, admission === 'guessing' ? guard.waitSeconds : retrySeconds());
    return undefined;
  }

  /** The metrics endpoint of a project is the project's as well. */
  const inboundKey = ({ projectPath }: AlertAddress): string =>
    `inbound:${projectPath.toLowerCase().replace(/\/prometheus$/, '')}`;

  /** Seconds to wait for a project that has received as much as it may. */
  function overInbound(response: Response, address: AlertAddress): number | undefined {
    if (inboundLimit === undefined) return undefined;
    const window = windows.count(inboundKey(address), inboundLimit.seconds);
    return setThrottleHeaders(response, { name: 'throttle_project_alerts', limit: inboundLimit, window, now: now() });
  }

  /** Alertmanager drops for good what is answered 429, and comes again after a 503. */
  function refuseForNow(request: Request, response: Response, seconds: number): void {
    response.set('Retry-After', String(seconds));
    if (retryStatusFor(request.headers['user-agent'] ?? '') === 503) response.status(503).end();
    else response.status(429).type('text/plain').send('Retry later\n');
  }

  async function serve(request: Request, response: Response, address: AlertAddress): Promise<void> {
    const requestId = response.getHeader('X-Request-Id') as string;
    const key = keyOf(request);
    const presented = presentedBy(request, key, address);
    const isRight = async (): Promise<boolean> => (await ingestion.checkKey({ ...address, key }, { requestId })).right;
    // Before the body, which may be long or never come: memory and time for it are those of senders with a right key.
    const proven = await isProven(request, response, presented, isRight);
    if (proven === undefined) return;
    const decode = decoderOf(request.headers['content-encoding'], payloadLimit);
    if (decode === undefined) return void response.status(415).set('Accept-Encoding', contentEncodings).end();
    // A sender without a key must not use up the limit of the project's senders.
    const wait = proven ? overInbound(response, address) : undefined;
    if (wait !== undefined) return refuseForNow(request, response, wait);
    const hold = memory.holder(response, proven ? presented.name : unprovenSenders);
    const minimumRate = minimumRates[proven ? 'proven' : 'unproven'];
    const body = await receiveBody(request, response, { limit: payloadLimit, minimumRate, hold }).catch(reasonOf);
    if (body === 'too_large') return void response.status(400).end();
    if (body === 'unavailable') return refuseForNow(request, response, retrySeconds());
    if (typeof body === 'string') return void response.destroy();
    const content = await decode(body, hold);
    if (content === 'no memory') return refuseForNow(request, response, retrySeconds());
    if (typeof content === 'string') return void response.status(400).end();
    const userAgent = request.headers['user-agent'] ?? '';
    const payload = { ...address, key, content, userAgent };
    const receive = (): Promise<IngestionServiceReceiveResponse> => ingestion.receive(payload, { requestId });
    // A sender without a right key is refused, and costs no more calls than that.
    const received = proven ? receiveOnce(keyed, { request, requestId }, payload, isRight, receive) : receive();
    const answer: PayloadAnswer = await received.catch(asUnavailable);
    const isWrong = wrongAnswers.has(answer.status);
    // What was wrong before has been counted then.
    if (isWrong ? proven : answer.status === 200) guard.remember(presented, !isWrong);
    if (isWrong && proven) windows.discount(inboundKey(address));
    if (answer.isReplayed) response.setHeader(replayedHeader, 'true');
    if (answer.receiptId !== '') response.setHeader('X-Alert-Receipt', answer.receiptId);
    if (answer.retryAfter > 0) response.setHeader('Retry-After', String(answer.retryAfter));
    if (answer.status === 429) response.status(429).type('text/plain').send('Retry later\n');
    else if (answer.json.length === 0) response.status(answer.status).end();
    else response.status(answer.status).type('application/json').end(answer.json);
  }

  return (app) => {
    app.use((request: Request, response: Response, next: NextFunction) => {
      const address = alertAddressOf(request.method, request.url);
      if (address === undefined) return next();
      measureRoute(response, 'POST', '/*/alerts/notify');
      serve(request, response, address).catch(next);
    });
  };
}

/** A service that is away, too slow, or at fault: the sender still has what it sent, and is to come again. */
const asUnavailable = (): IngestionServiceReceiveResponse => ({
  status: 503,
  json: Buffer.alloc(0),
  receiptId: '',
  retryAfter: retrySeconds(),
});
