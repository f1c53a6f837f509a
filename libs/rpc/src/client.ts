import { Client, credentials, Metadata, type ServiceDefinition, type ServiceError, status } from '@grpc/grpc-js';
import { countRpc, observeRpc } from '@switchyard/telemetry';
import { addCost, askForCost, runningCost } from './cost';
import { fromServiceError } from './error-status';
import { type Identity, identityKey, type Signer, signClaims } from './identity';
import { withoutCopies } from './representation-codec';
import { channelOptions } from './server';

type RequestOf<D> = D extends { requestSerialize: (value: infer Q) => Buffer } ? Q : never;
type ResponseOf<D> = D extends { responseDeserialize: (bytes: Buffer) => infer S } ? S : never;

/** How one call is made. */
export interface CallOptions extends Identity {
  /** Id of the public request, or of the job, that the call belongs to. */
  readonly requestId: string;
  /** Milliseconds until the call is given up; 10,000 unless told. Every call has a deadline. */
  readonly timeoutMs?: number;
  /** True when the call may be repeated after UNAVAILABLE without a second effect. */
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
  close(): void;
}

/** Longest pause before the one retry of an idempotent call, milliseconds; jittered. */
const retryPauseMs = 150;

/** Opens a channel to `address` (host:port); calls are signed by `signer`. */
export function connect(address: string, signer: Signer): Peer {
  const channel = new Client(address, credentials.createInsecure(), { ...channelOptions });
  return {
    client: (definition) => clientOf(channel, withoutCopies(definition), signer),
    close: () => channel.close(),
  };
}

function clientOf<T extends ServiceDefinition>(channel: Client, definition: T, signer: Signer): RpcClient<T> {
  const methods = Object.entries(definition).map(([name, method]) => {
    const metadataFor = (options: CallOptions): Metadata => {
      const metadata = new Metadata();
      metadata.set(identityKey, signClaims(signer, method.path, options.requestId, options));
      metadata.set('x-request-id', options.requestId);
      return metadata;
    };
    const deadlineOf = (options: CallOptions): number => Date.now() + (options.timeoutMs ?? 10_000);

    const once = (request: unknown, options: CallOptions): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const done = observeRpc('client', method.path);
        const metadata = metadataFor(options);
        const cost = runningCost();
        if (cost !== undefined) askForCost(metadata);
        const call = channel.makeUnaryRequest(
          method.path,
          method.requestSerialize,
          method.responseDeserialize,
          request,
          metadata,
          { deadline: deadlineOf(options) },
          (error: ServiceError | null, response: unknown) => {
            done(error === null ? 'ok' : status[error.code].toLowerCase());
            // The status event, with the trailer, follows in the same turn: the cost is there before the caller goes on.
            if (error === null) queueMicrotask(() => resolve(response));
            else reject(fromServiceError(error));
          },
        );
        if (cost !== undefined) call.on('status', (ended) => addCost(cost, ended.metadata));
        options.signal?.addEventListener('abort', () => call.cancel(), { once: true });
      });

    const unary = async (request: unknown, options: CallOptions): Promise<unknown> => {
      countRpc(method.path);
      try {
        return await once(request, options);
      } catch (error) {
        const mayRetry = options.idempotent === true && (error as { kind?: string }).kind === 'unavailable';
        if (!mayRetry) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * retryPauseMs));
        return once(request, options);
      }
    };

    const streaming = async function* (request: unknown, options: CallOptions): AsyncIterable<unknown> {
      countRpc(method.path);
      const call = channel.makeServerStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadataFor(options),
        { deadline: deadlineOf(options) },
      );
      try {
        yield* call;
      } catch (error) {
        throw fromServiceError(error as ServiceError);
      } finally {
        call.cancel();
      }
    };
    return [name, method.responseStream ? streaming : unary];
  });
  return Object.fromEntries(methods) as RpcClient<T>;
}
