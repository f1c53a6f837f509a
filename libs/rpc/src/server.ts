import { once } from 'node:events';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { AppError, forbidden, unavailable } from '@switchyard/errors';
import type { Access, Actor } from '@switchyard/protos/rpc/v1/identity';
import { logger, observeRpc, withRequestId } from '@switchyard/telemetry';
import { HealthImplementation } from 'grpc-health-check';
import { acknowledgement } from './acknowledgement';
import { type AdmissionQueue, admissionQueue } from './admission-queue';
import { begunNoter, markBegun, trackBegun } from './begun';
import { isCostWanted, measureCost, type StatementCounter, showCost } from './cost';
import { toServiceError } from './error-status';
import { identityKey, type TrustedKeys, verifyClaims } from './identity';
import { addReflection } from './reflection';
import { type ArrivedCall, type Relay, RelayedReply, relayedKey } from './relay';
import { maxReplyBytes } from './representation';
import { withoutCopies } from './representation-codec';
import { UsedClaims } from './used-claims';

/** What a handler knows of the call, apart from its request. */
export interface CallContext {
  /** Process that calls: `gateway`, or a service. */
  readonly caller: string;
  /** The actor; user_id 0 without a user. */
  readonly actor: Actor;
  /** Target the gateway resolved, where the route names one. */
  readonly access: Access | undefined;
  /** Id of the public request this call belongs to. */
  readonly requestId: string;
  /** Aborted when the caller disconnects or its deadline passes. */
  readonly signal: AbortSignal;
}

type RequestOf<D> = D extends { requestSerialize: (value: infer Q) => Buffer } ? Q : never;
type ResponseOf<D> = D extends { responseDeserialize: (bytes: Buffer) => infer S } ? S : never;
type HandlerOf<D> = D extends { responseStream: true }
  ? (request: RequestOf<D>, context: CallContext) => AsyncIterable<ResponseOf<D>>
  : (request: RequestOf<D>, context: CallContext) => Promise<ResponseOf<D>>;

/** One handler per RPC of a generated service definition. */
export type Handlers<T> = { [K in keyof T]: HandlerOf<T[K]> };

/** Who may call an RPC, and whether a service may speak for a user (`on_behalf_of`, D3). */
export interface CallerRule {
  /** Process names; or `services`: every process of the installation but the gateway. */
  readonly callers: readonly string[] | 'services';
  readonly onBehalfOf?: boolean;
  /** Takes no slot: its work is bounded elsewhere, or too little to wait. */
  readonly unbounded?: boolean;
}

/** A service definition with its handlers and the processes that may call each of its RPCs. */
export interface ServiceImplementation {
  readonly definition: ServiceDefinition;
  readonly handlers: Record<string, (request: never, context: CallContext) => unknown>;
  readonly rules: Record<string, CallerRule>;
  /** Who answers a request where it is not this process; absent where this one answers all. */
  readonly elsewhere?: Elsewhere | undefined;
}

/** Finds the process that answers a decoded request; undefined: this one. */
export type Elsewhere = (request: object) => Promise<Relay | undefined>;

const gatewayOnly: CallerRule = { callers: ['gateway'] };

const admits = ({ callers }: CallerRule, caller: string): boolean =>
  callers === 'services' ? caller !== 'gateway' : callers.includes(caller);

/** Binds handlers to a generated definition. RPCs without a rule of their own may be called by the gateway alone. */
export const implement = <T extends ServiceDefinition>(
  definition: T,
  handlers: Handlers<T>,
  rules: Partial<Record<keyof T, CallerRule>> = {},
): ServiceImplementation => ({
  definition,
  handlers: handlers as unknown as ServiceImplementation['handlers'],
  rules: rules as Record<string, CallerRule>,
});

/** What a gRPC server needs. */
export interface ServerOptions {
  readonly services: readonly ServiceImplementation[];
  readonly trusted: TrustedKeys;
  /** Interface to listen on, usually 127.0.0.1. */
  readonly host: string;
  /** Port to listen on; 0 for any free one. */
  readonly port: number;
  /** Waits until the local directory has reached a sequence (D5); absent in the directory's owner. */
  readonly ensureDirectory?: (sequence: number) => Promise<void>;
  /** Counts the SQL statements of a call, for its trailer; absent without a database. */
  readonly countStatements?: StatementCounter;
  /** Keeps calls that can no longer be answered from writing; absent where there is no database. */
  readonly guardWrites?: WriteGuard;
  /**
   * Calls of the gateway that run at a time; default 64. Calls of other services take no slot: they could wait for
   * themselves.
   */
  readonly slots?: number;
}

/**
 * Runs a call; its first write is refused when `refuseLate` throws, and each is noted once it has been committed.
 * libs/database has one.
 */
export type WriteGuard = <T>(
  call: { readonly refuseLate: () => void; readonly noteBegun: () => void },
  work: () => Promise<T>,
) => Promise<T>;

/** A running gRPC server. */
export interface RunningServer {
  readonly port: number;
  /** Health status of the process, as `grpc.health.v1` reports it. */
  setServing(serving: boolean): void;
  /** Lets running calls finish, at most `graceMs`, then closes. */
  close(graceMs?: number): Promise<void>;
}

export const anonymous: Actor = { userId: 0, username: '', admin: false, external: false, scopes: [], tokenId: 0 };

/** Largest message, bytes: the longest reply and its envelope. */
export const maxMessageBytes = maxReplyBytes + (1 << 20);

/**
 * HTTP/2 window in bytes: a 50 kB list reply crosses without waiting for a window update (measured 0.8 of the cost).
 */
export const channelOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_send_message_length': maxMessageBytes,
  'grpc-node.flow_control_window': 8 << 20,
  // A process that hangs keeps its connections: found out within 5 s. Shorter, and one that renders a page of 100 MB
  // would count as hung.
  'grpc.keepalive_time_ms': 2_000,
  'grpc.keepalive_timeout_ms': 3_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 250,
} as const;

/** Starts a server with `services`, health and reflection. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const server = new Server({ ...channelOptions });
  const queue = admissionQueue({ slots: options.slots ?? 64, maxWaiting: waitingCalls });
  const gate = { ...options, used: new UsedClaims() };
  for (const service of options.services) {
    const definition = withoutCopies(service.definition);
    const { elsewhere } = service;
    server.addService(
      undecoded(definition),
      Object.fromEntries(
        Object.entries(definition).map(([name, method]) => {
          const rule = service.rules[name] ?? gatewayOnly;
          const decoded = service.handlers[name];
          if (decoded === undefined) throw new Error(`${method.path} has no handler`);
          const handler: AnyHandler = (request, context) =>
            decoded(method.requestDeserialize(request) as never, context);
          const relayFor: RelayFor = async (call) =>
            call.metadata.get(relayedKey).length > 0
              ? undefined
              : elsewhere?.(method.requestDeserialize(call.request) as object);
          return [
            name,
            method.responseStream
              ? streaming(method.path, rule, { handler, relayFor }, gate)
              : unary(method.path, rule, { handler, relayFor }, gate, queue),
          ];
        }),
      ),
    );
  }
  const health = new HealthImplementation({ '': 'NOT_SERVING' });
  health.addToServer(server);
  addReflection(server);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`${options.host}:${options.port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  health.setStatus('', 'SERVING');
  return {
    port,
    setServing: (serving) => health.setStatus('', serving ? 'SERVING' : 'NOT_SERVING'),
    close: (graceMs = 10_000) =>
      new Promise((resolve) => {
        health.setStatus('', 'NOT_SERVING');
        const timer = setTimeout(() => server.forceShutdown(), graceMs);
        server.tryShutdown(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}

/**
 * Requests arrive as bytes: the claims are bound to them, and nothing is decoded for an unknown caller. Replies that were
 * relayed are bytes already.
 */
const undecoded = (definition: ServiceDefinition): ServiceDefinition =>
  Object.fromEntries(
    Object.entries(definition).map(([name, method]) => [
      name,
      {
        ...method,
        requestDeserialize: (bytes: Buffer) => bytes,
        responseSerialize: (reply: unknown) =>
          reply instanceof RelayedReply ? reply.bytes : method.responseSerialize(reply),
      },
    ]),
  );

type AnyCall = ServerUnaryCall<Buffer, unknown> | ServerWritableStream<Buffer, unknown>;

interface Gate extends ServerOptions {
  readonly used: UsedClaims;
}

async function admit(path: string, rule: CallerRule, call: AnyCall, options: Gate): Promise<CallContext> {
  const signed = call.metadata.get(identityKey)[0];
  const claims = verifyClaims(options.trusted, options.used, {
    method: path,
    content: call.request,
    signed: signed instanceof Buffer ? signed : undefined,
  });
  if (!admits(rule, claims.caller)) throw forbidden();
  if (claims.caller !== 'gateway' && claims.actor !== undefined && rule.onBehalfOf !== true) throw forbidden();
  if (claims.directorySequence > 0) await options.ensureDirectory?.(claims.directorySequence);
  let abort: AbortController | undefined;
  return {
    caller: claims.caller,
    actor: claims.actor ?? anonymous,
    access: claims.access,
    requestId: claims.requestId,
    // Created on first use: grpc-js emits `cancelled` at the end of every call, and each abort creates an exception
    // with its stack.
    get signal() {
      if (abort === undefined) {
        const made = new AbortController();
        abort = made;
        if (call.cancelled) made.abort();
        else call.on('cancelled', () => made.abort());
      }
      return abort.signal;
    },
  };
}

/** Most calls that wait for a slot. */
const waitingCalls = 256;

/**
 * Whether there is still a point in a call. It has the first half of its time to come to its first write: with the
 * other half it finishes what it has begun, and its caller, which waits for all of it, gets the answer.
 */
function lateness(call: ServerUnaryCall<Buffer, unknown>): () => void {
  const since = Date.now();
  const until = since + (Number(call.getDeadline()) - since) / 2;
  return () => {
    if (call.cancelled || Date.now() > until) throw unavailable('the call can no longer be answered in time');
  };
}

type AnyHandler = (request: Buffer, context: CallContext) => unknown;
type RelayFor = (call: AnyCall) => Promise<Relay | undefined>;

/** What answers the calls of a method. */
interface Answering {
  readonly handler: AnyHandler;
  readonly relayFor: RelayFor;
}

const arrived = (path: string, call: AnyCall, signal: AbortSignal): ArrivedCall => ({
  path,
  request: call.request,
  metadata: call.metadata,
  deadline: Number(call.getDeadline()),
  signal,
});

const unary =
  (path: string, rule: CallerRule, { handler, relayFor }: Answering, options: Gate, queue: AdmissionQueue) =>
  (call: ServerUnaryCall<Buffer, unknown>, callback: sendUnaryData<unknown>): void => {
    const done = observeRpc('server', path);
    const refuseLate = lateness(call);
    const acknowledging = acknowledgement(call);
    const run = async (context: CallContext) => {
      refuseLate();
      const handle = async (): Promise<unknown> => handler(call.request, context);
      const work = () =>
        withRequestId(context.requestId, async () => {
          const answer = await trackBegun(
            () => options.guardWrites?.({ refuseLate, noteBegun: begunNoter() }, handle) ?? handle(),
          );
          logger.debug({ rpc: path, caller: context.caller }, 'call answered');
          return answer;
        });
      const { result: answer, cost } = isCostWanted(call.metadata)
        ? await measureCost(work, options.countStatements)
        : { result: await work(), cost: undefined };
      const trailer = new Metadata();
      if (answer.begun) markBegun(trailer);
      if (cost !== undefined) showCost(trailer, cost);
      return { result: answer.result, trailer };
    };
    const answer = async (context: CallContext): Promise<{ result: unknown; trailer: Metadata }> => {
      const relay = await relayFor(call);
      // Without a slot: two processes that relay to each other would wait for themselves.
      if (relay !== undefined) {
        acknowledging.leave();
        const { reply, trailer } = await relay.unary(arrived(path, call, context.signal), acknowledging.send);
        return { result: reply, trailer };
      }
      const answered = await (context.caller === 'gateway' && rule.unbounded !== true
        ? queue.run(() => run(context), { owner: String(context.actor.userId) })
        : run(context));
      acknowledging.send();
      return answered;
    };
    admit(path, rule, call, options)
      .then(answer)
      .then(
        ({ result, trailer }) => {
          done('ok');
          callback(null, result, trailer);
        },
        (error: unknown) => {
          acknowledging.leave();
          done(report(path, call.metadata, error));
          callback(toServiceError(error));
        },
      );
  };

const streaming =
  (path: string, rule: CallerRule, { handler, relayFor }: Answering, options: Gate) =>
  async (call: ServerWritableStream<Buffer, unknown>): Promise<void> => {
    const done = observeRpc('server', path);
    try {
      const context = await admit(path, rule, call, options);
      const relay = await relayFor(call);
      const messages =
        relay?.stream(arrived(path, call, context.signal)) ??
        withRequestId(context.requestId, () => handler(call.request, context));
      for await (const message of messages as AsyncIterable<unknown>) {
        if (context.signal.aborted) return;
        // Writes to a disconnected caller never drain.
        if (!call.write(message)) await once(call, 'drain', { signal: context.signal }).catch(() => undefined);
      }
      // As long as the caller wanted: no measure of the work.
      if (context.signal.aborted) return;
      done('ok');
      call.end();
    } catch (error) {
      done(report(path, call.metadata, error));
      call.emit('error', toServiceError(error));
    }
  };

function report(path: string, metadata: Metadata, error: unknown): string {
  const kind = error instanceof AppError ? error.kind : 'internal';
  if (kind === 'internal' || kind === 'unavailable') {
    logger.error({ err: error, rpc: path, request_id: metadata.get('x-request-id')[0] }, 'call failed');
  }
  return kind;
}
