import type { AnySubscription } from '@switchyard/events';
import type { ServiceImplementation } from '@switchyard/rpc';

/** Something that was started and can be stopped. */
export interface Closable {
  /** Stops it; resolves when the run under way has ended. */
  close(): Promise<void>;
}

/** Subscriptions of one consumer group. */
export interface ConsumerGroup {
  /** Name of the group: its offsets are stored under it, so a running installation must keep it. */
  readonly group: string;
  readonly subscriptions: AnySubscription[];
}

/** What one area of the service contributes to the process (D1). */
export interface Area {
  readonly services?: readonly ServiceImplementation[];
  /** Consumer groups; each is started on its own, so that none waits for another. */
  readonly consumers?: readonly ConsumerGroup[];
  /** Starts what runs beside requests. */
  start?(): readonly Closable[] | Promise<readonly Closable[]>;
}
