import type { BlobStore } from '@switchyard/blobs';
import type { Database } from '@switchyard/database';
import type { Directory } from '@switchyard/directory';
import type { EventBus } from '@switchyard/events';
import type { ForwardedEndpoint, Peer, ServiceImplementation } from '@switchyard/rpc';
import type { KeyDigest } from './application/integration-key';
import type { Config } from './config';

/** What each area of the service is built from. */
export interface AreaEdges {
  readonly config: Config;
  readonly db: Database;
  readonly directory: Directory;
  readonly groupsAdmin: Peer;
  readonly bus: EventBus;
  readonly blobs: BlobStore;
  readonly clock: () => Date;
  /** Digests of integration keys. */
  readonly digest: KeyDigest;
}

/** An area of the service. */
export interface Area {
  readonly services: readonly ServiceImplementation[];
  /** What it answers on the internal HTTP port. */
  readonly http?: readonly ForwardedEndpoint[];
  /** Starts what runs beside requests: consumers and jobs. */
  start?(): Promise<readonly { close(): Promise<void> }[]>;
  /** Ends long waits; running calls still finish after it. */
  drain?(): void;
  /** Closes what it opened itself, after background work has stopped. */
  close?(): Promise<void>;
}
