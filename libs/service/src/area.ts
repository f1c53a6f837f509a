import type { AnySubscription } from '@switchyard/events';
import type { ForwardedEndpoint, ServiceImplementation } from '@switchyard/rpc';

/** Something that was started and can be stopped. */
export interface Closable {
  /** Stops it; resolves when the run under way has ended. */
  close(): Promise<void>;
}

/** Subscriptions of one consumer group. */
export interface ConsumerGroup {
  /** Name of the group: its offsets are stored under it, so a running installation must keep it. */
  readonly group: string;
  readonly subscriptions: readonly AnySubscription[];
  /** Events that one process handles at the same time, at least 1; default: no limit. */
  readonly concurrency?: number;
}

/** What one area of a service contributes to the process (D1). */
export interface Area {
  /** gRPC services with their handlers. */
  readonly services?: readonly ServiceImplementation[];
  /** Endpoints on the internal HTTP port, which the gateway forwards to. */
  readonly http?: readonly ForwardedEndpoint[];
  /** Consumer groups; each is started on its own, so that none waits for another. */
  readonly consumers?: readonly ConsumerGroup[];
  /** Starts jobs and gauges once both servers listen; what it returns is closed before the pools. */
  start?(): readonly Closable[] | Promise<readonly Closable[]>;
  /** Throws while the area cannot serve; asked by `/-/readiness`. */
  ready?(): Promise<void>;
  /** Ends long waits; running calls still finish after it. */
  drain?(): void;
  /** Closes what the area opened itself, after its jobs and consumers have stopped. */
  close?(): Promise<void>;
}
