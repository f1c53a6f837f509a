import { Metadata, type ServiceDefinition, type ServiceError, status } from '@grpc/grpc-js';
import { isAppError } from '@switchyard/errors';
import { logger, observeRpc } from '@switchyard/telemetry';
import { type Attention, attention, isUnacknowledged, silence, unacknowledgedStatus } from './acknowledgement';
import { type BalancedChannel, balancedChannel, type ChannelOptions } from './balanced-channel';
import { begunNoter, hasBegun } from './begun';
import { addCost, requestCost, runningCost } from './cost';
import { fromServiceError, isAnswered, isBrokenOff, isRefused, isUnknown } from './error-status';
import { type Identity, identityKey, type Signer, signClaims } from './identity';
import type { Relay } from './relay';
import { relayOver } from './relay-over';
import { withoutCopies } from './representation-codec';
import { type RetryBudget, retryBudget } from './retry-budget';

type RequestOf<D> = D extends { requestSerialize: (value: infer Q) => Buffer } ? Q : never;
type ResponseOf<D> = D extends { responseDeserialize: (bytes: Buffer) => infer S } ? S : never;

/** How one call is made. */
export interface CallOptions extends Identity {
  /** Id of the public request, or of the job, that the call belongs to. */
  readonly requestId: string;
  /** Deadline of the call in milliseconds; default 10,000. Every call has one. */
  readonly timeoutMs?: number;
  /**
   * True when the call may be repeated after UNAVAILABLE without a second effect. Such a call is given up when its peer
   * has not acknowledged it within 2.5 s, and made at another replica after one.
   */
  readonly idempotent?: boolean;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
}

/** A promise-based client of a generated service definition. */
export type RpcClient<T> = {
  [K in keyof T]: T[K] extends { responseStream: true }
    ? (request: RequestOf<T[K]>, options: CallOptions) => AsyncIterable<ResponseOf<T[K]>>
    : (request: RequestOf<T[K]>, options: CallOptions) => Promise<ResponseOf<T[K]>>;
};

/** A channel to one peer; its clients share the connection. */
export interface Peer {
  /** A client of one of the peer's services. */
  client<T extends ServiceDefinition>(definition: T): RpcClient<T>;
  /**
   * Checks the peer for traffic on another port. @throws AppError unavailable when it accepts connections and never
   * replies
   */
  reach(): Promise<void>;
  close(): void;
}

/** A channel to another process of the same service, which takes calls over. */
export interface Sibling extends Peer {
  readonly relay: Relay;
}

/** Longest pause before the one retry of a call, milliseconds; jittered. */
const retryPauseMs = 150;

/**
 * Whether a repetition is safe: not after the deadline, not without a connection (waiting for it has failed already), not where the only
 * process was silent or does not know the RPC, and not when the caller has cancelled. Nor what the peer itself gave up late, as where its
 * database hangs (ADR 85): the others have the same one.
 */
function isRepeatable(
  error: unknown,
  { idempotent, signal }: CallOptions,
  mayBeOthers: boolean,
  tookMs: number,
): boolean {
  if (signal?.aborted || !isAppError(error, 'unavailable')) return false;
  const cause = (error.cause ?? {}) as ServiceError;
  if (isAnswered(cause) && tookMs >= silence.ofFirst) return false;
  if (isUnacknowledged(cause) || isUnknown(cause)) return mayBeOthers;
  return isRefused(cause) || (idempotent === true && isBrokenOff(cause));
}

/** Opens a channel to `address` (host:port); calls are signed by `signer`. */
export function connect(address: string, signer: Signer, { resolveEveryMs }: ChannelOptions = {}): Sibling {
  const channel = balancedChannel(address, resolveEveryMs);
  const [budget, listening] = [retryBudget(), attention()];
  return {
    client: (definition) => clientOf(channel, withoutCopies(definition), signer, budget, listening),
    reach: async () => {
      await channel.ready(Number.POSITIVE_INFINITY);
    },
    relay: relayOver((deadline) => channel.ready(deadline)),
    close: () => channel.close(),
  };
}

/** RPCs that a peer did not know: while its replicas are replaced each call may meet an old one. */
const unknown = new Set<string>();

/** What the failure of a call is to the caller. */
function failureOf(rpc: string, error: ServiceError): unknown {
  if (isUnknown(error) && !unknown.has(rpc)) {
    unknown.add(rpc);
    logger.warn({ rpc }, 'the peer does not know this call: it is of an earlier version; further ones are not logged');
  }
  return fromServiceError(error);
}

/** Bytes that were encoded to be signed are sent as they are. */
const asTheyAre = (bytes: Buffer): Buffer => bytes;

function clientOf<T extends ServiceDefinition>(
  balanced: BalancedChannel,
  definition: T,
  signer: Signer,
  budget: RetryBudget,
  listening: Attention,
): RpcClient<T> {
  const first = balanced.isName ? silence.ofFirst : silence.ofAll;
  const methods = Object.entries(definition).map(([name, method]) => {
    const metadataFor = (options: CallOptions, content: Buffer): Metadata => {
      const metadata = new Metadata();
      metadata.set(identityKey, signClaims(signer, method.path, options.requestId, options, content));
      metadata.set('x-request-id', options.requestId);
      return metadata;
    };
    const argumentsOf = (content: Buffer, metadata: Metadata, deadline: number) =>
      [method.path, asTheyAre, method.responseDeserialize, content, metadata, { deadline }] as const;
    const deadlineOf = (options: CallOptions): number => Date.now() + (options.timeoutMs ?? 10_000);

    const once = async (
      request: unknown,
      options: CallOptions,
      deadline: number,
      silenceMs: number,
    ): Promise<unknown> => {
      const channel = await balanced.ready(deadline);
      return new Promise((resolve, reject) => {
        const content = method.requestSerialize(request);
        const metadata = metadataFor(options, content);
        const done = observeRpc('client', method.path);
        const cost = runningCost();
        const noteBegun = begunNoter();
        if (cost !== undefined) requestCost(metadata);
        const cancel = (): void => call.cancel();
        const call = channel.makeUnaryRequest(
          ...argumentsOf(content, metadata, deadline),
          (error: ServiceError | null, response: unknown) => {
            done(error === null ? 'ok' : status[error.code].toLowerCase());
            // The signal may live as long as the process.
            options.signal?.removeEventListener('abort', cancel);
            unwatch();
            // The status event, with the trailer, follows in the same turn: the cost is there before the caller goes
            // on.
            if (error === null) queueMicrotask(() => resolve(response));
            else reject(failureOf(method.path, error));
          },
        );
        const unwatch =
          options.idempotent === true
            ? listening.watch(silenceMs, () => call.call?.cancelWithStatus(...unacknowledgedStatus))
            : () => undefined;
        call.on('metadata', (metadata) => {
          listening.heard(metadata);
          unwatch();
        });
        call.on('status', ({ metadata: trailer }) => {
          if (cost !== undefined) addCost(cost, trailer);
          if (hasBegun(trailer)) noteBegun();
        });
        if (options.signal?.aborted) cancel();
        else options.signal?.addEventListener('abort', cancel, { once: true });
      });
    };

    const unary = async (request: unknown, options: CallOptions): Promise<unknown> => {
      const deadline = deadlineOf(options);
      const since = performance.now();
      try {
        const response = await once(request, options, deadline, first);
        budget.succeeded();
        return response;
      } catch (error) {
        const tookMs = performance.now() - since;
        if (!isRepeatable(error, options, balanced.isName, tookMs) || !budget.take()) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * retryPauseMs));
        return once(request, options, deadline, silence.ofAll - silence.ofFirst);
      }
    };

    const streaming = async function* (request: unknown, options: CallOptions): AsyncIterable<unknown> {
      const deadline = deadlineOf(options);
      const channel = await balanced.ready(deadline);
      const content = method.requestSerialize(request);
      for (let mayRepeat = true; ; mayRepeat = false) {
        const metadata = metadataFor(options, content);
        const call = channel.makeServerStreamRequest(...argumentsOf(content, metadata, deadline));
        const cancel = (): void => call.cancel();
        if (options.signal?.aborted) cancel();
        else options.signal?.addEventListener('abort', cancel, { once: true });
        try {
          yield* call;
          return;
        } catch (error) {
          // Nothing of a call that was refused has arrived.
          const repeats = mayRepeat && isRefused(error as ServiceError) && !options.signal?.aborted && budget.take();
          if (!repeats) throw failureOf(method.path, error as ServiceError);
        } finally {
          options.signal?.removeEventListener('abort', cancel);
          cancel();
        }
      }
    };
    return [name, method.responseStream ? streaming : unary];
  });
  return Object.fromEntries(methods) as RpcClient<T>;
}
