import { createHash, randomUUID } from 'node:crypto';
import { repeat } from '@switchyard/background';
import {
  AppError,
  conflict,
  invalidParams,
  isAppError,
  retrySeconds,
  unavailable,
  unprocessable,
} from '@switchyard/errors';
import {
  type FinishRequestRequest,
  type IdempotencyServiceService,
  type KeptAnswer,
  BeginRequestResponse_Outcome as Outcome,
} from '@switchyard/protos/groups_admin/v1/idempotency';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import type { RpcClient } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import type { Request } from 'express';
import { isMultipart, withoutBoundary } from './body-digest';
import { SentFile } from './params';
import type { RawParameters } from './read-parameters';
import { isStreamed, type Route } from './route';

/** Header by which a client sends a request again without a second effect. */
export const keyHeader = 'Idempotency-Key';

/** Header of an answer that is that of the first request with the key. */
export const replayedHeader = 'Idempotent-Replayed';

/** Largest body of an answer that is kept, bytes. */
export const mostKept = 1 << 20;

/** Parameters that say who asks, not what. */
const credentials = new Set(['private_token', 'access_token', 'job_token']);

/** A request that came with a key. */
export interface KeyedRequest {
  readonly caller: string;
  readonly key: string;
  readonly fingerprint: Buffer;
}

/** A request that is carried out. */
export interface Attempt {
  /** Keeps the answer, before it is sent. */
  answered(answer: KeptAnswer): Promise<void>;
  /** Keeps a refusal that another attempt would meet as well; what was not begun frees the key. */
  failed(error: unknown): Promise<void>;
  /** Says that it still runs, to be called every minute by what may take longer than two. */
  renew(): Promise<void>;
}

/** Requests with a key: one call before, one after (ADR 50). */
export interface KeyedRequests {
  /**
   * Takes the key, or returns the answer of the first request. Fails with `conflict` while that runs, or where its
   * outcome is unknown, and with `unprocessable` where it was another one.
   */
  begin(request: KeyedRequest, requestId: string): Promise<Attempt | KeptAnswer>;
  /** The answer of the first request; undefined where there is none. */
  known(request: KeyedRequest, requestId: string): Promise<KeptAnswer | undefined>;
  /** Gives up freeing keys. */
  close(): Promise<void>;
}

/** How a key is freed whose owner did not answer: milliseconds between two tries, for as long as it can be freed, and keys at a time. */
const freeing = { everyMs: 1_000, forMs: 120_000, most: 10_000 } as const;

/** Whether an endpoint takes a key. */
export const takesKey = ({ method }: Pick<Route, 'method'>): boolean => method !== 'get';

/** The key of a request that may have one. Fails with `invalid_params` for what is no key. */
export function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.get(keyHeader);
  if (key === undefined) return undefined;
  // Of two keys it is open which one counts; Node joins them.
  const given = request.headersDistinct[keyHeader.toLowerCase()]?.length;
  if (given !== 1 || !/^[\x20-\x7e]{1,255}$/.test(key)) throw invalidParams(`${keyHeader} is invalid`);
  return key;
}

/** Whose key it is. Fails with `invalid_params` without a token: others could ask for the answer. */
export function callerOf({ userId, deployTokenId, job }: Actor): string {
  if (job !== undefined) return `job:${job.projectId}:${userId}`;
  if (userId > 0) return `user:${userId}`;
  if (deployTokenId !== undefined) return `deploy_token:${deployTokenId}`;
  throw invalidParams(`${keyHeader} needs a token`);
}

const told = (_name: string, value: unknown): unknown =>
  value instanceof SentFile ? { file: createHash('sha256').update(value.content).digest('hex') } : value;

/** What the head of an upload says of its body. The length of a form depends on its boundary. */
function announced({ headers }: Request): readonly unknown[] {
  const type = headers['content-type'] ?? '';
  const length = isMultipart(type) ? undefined : headers['content-length'];
  const said = [length, headers['content-encoding'], headers['x-checksum-sha256']];
  return ['upload', withoutBoundary(type), ...said.map((value) => value ?? null)];
}

/**
 * Digest of what a request asks for: method, path, parameters, condition; of an upload what its head announces. What that
 * sends is compared when it has been read (`answerToUpload`).
 */
export function fingerprintOf(request: Request, raw: RawParameters, route: Route): Buffer {
  const [path] = request.originalUrl.split('?');
  const sent = Object.entries(raw).filter(([name]) => !credentials.has(name));
  const asked: unknown[] = [request.method, path, request.get('if-unmodified-since') ?? null, sent];
  if (isStreamed(route)) asked.push(announced(request));
  return createHash('sha256').update(JSON.stringify(asked, told)).digest();
}

/** How a request that failed has ended. */
function endOf(error: unknown): FinishRequestRequest['end'] {
  // A limit of the gateway.
  if (!isAppError(error)) return error instanceof Error && 'seconds' in error ? notBegun : unknown;
  if (isAppError(error, 'unavailable', 'rate_limited', 'request_timeout') && !error.begun) return notBegun;
  if (error.status >= 500) return unknown;
  const body = Buffer.from(JSON.stringify(error.body));
  return { $case: 'answer', value: { status: error.status, contentType: 'application/json', body } };
}

const notBegun = { $case: 'notBegun', value: true } as const;
const unknown = { $case: 'unknown', value: true } as const;

/** 422 of a key that was used for something else. */
export const otherRequest = (): AppError => unprocessable(`${keyHeader} was used for another request`);

/** Builds the requests with a key over their owner. */
export function keyedRequests(client: RpcClient<typeof IdempotencyServiceService>): KeyedRequests {
  const options = (requestId: string) => ({ requestId, timeoutMs: 5_000 });
  const record = (attempt: string, end: FinishRequestRequest['end'], requestId: string, signal?: AbortSignal) =>
    client.finishRequest({ attempt, end }, { ...options(requestId), signal, idempotent: true });
  /** Attempts that began nothing and still have their key, which would refuse who was told to come again: until when they are of use. */
  const unfreed = new Map<string, number>();
  const repeating = repeat('keys of requests that began nothing', freeing.everyMs, async (stopping) => {
    for (const [attempt, until] of unfreed) {
      if (Date.now() < until) await record(attempt, notBegun, randomUUID(), stopping);
      unfreed.delete(attempt);
    }
  });

  function attemptOf(attempt: string, requestId: string): Attempt {
    // The answer is sent all the same: it is the truth, and the key is left without one.
    const finish = (end: FinishRequestRequest['end']): Promise<void> =>
      record(attempt, end, requestId).then(
        () => undefined,
        (error) => {
          logger.warn({ err: error, request_id: requestId }, 'end of a request with a key not recorded');
          if (end === notBegun && unfreed.size < freeing.most) unfreed.set(attempt, Date.now() + freeing.forMs);
        },
      );
    return {
      answered: (answer) => finish(answer.body.length > mostKept ? unknown : { $case: 'answer', value: answer }),
      failed: (error) => finish(endOf(error)),
      // The next one comes before it is too late.
      renew: () =>
        client.renewRequest({ attempt }, { ...options(requestId), idempotent: true }).then(
          () => undefined,
          (error) => logger.warn({ err: error, request_id: requestId }, 'upload with a key not renewed'),
        ),
    };
  }

  return {
    async begin(request, requestId) {
      const attempt = randomUUID();
      const asked = { ...request, attempt, onlyKnown: false };
      const begun = await client.beginRequest(asked, { ...options(requestId), idempotent: true }).catch((error) => {
        // The key may have been taken, but nothing else has been done.
        void attemptOf(attempt, requestId).failed(unavailable());
        throw isAppError(error, 'unavailable') ? unavailable(error) : error;
      });
      if (begun.outcome === Outcome.OUTCOME_FIRST) return attemptOf(attempt, requestId);
      if (begun.outcome === Outcome.OUTCOME_ANSWERED && begun.answer !== undefined) return begun.answer;
      if (begun.outcome === Outcome.OUTCOME_OTHER_REQUEST) throw otherRequest();
      if (begun.outcome === Outcome.OUTCOME_UNKNOWN)
        throw conflict(`The first request with this ${keyHeader} may have been carried out: look, and use another key`);
      throw new AppError('conflict', `The first request with this ${keyHeader} is still running`, {
        retryAfter: retrySeconds(),
      });
    },

    async known(request, requestId) {
      const { outcome, answer } = await client.beginRequest(
        { ...request, attempt: randomUUID(), onlyKnown: true },
        { ...options(requestId), idempotent: true },
      );
      return outcome === Outcome.OUTCOME_ANSWERED ? answer : undefined;
    },

    close: repeating.close,
  };
}
