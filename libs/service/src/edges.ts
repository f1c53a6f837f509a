import type { BlobStore } from '@switchyard/blobs';
import type { Database } from '@switchyard/database';
import type { Directory } from '@switchyard/directory';
import type { EventBus } from '@switchyard/events';
import type { Peer, Sibling } from '@switchyard/rpc';
import type { observe } from '@switchyard/telemetry';
import type { ServiceConfig, Variables } from './configuration';
import type { Needs, PrismaClass } from './needs';

/** What every area of a service is built from. */
export type ServiceEdges<V extends Variables, PeerName extends string, N extends Needs> = {
  readonly config: ServiceConfig<V>;
  readonly db: Database;
  readonly bus: EventBus;
  /** The present; tests replace it. */
  readonly clock: () => Date;
  /** Another service, called as this one. */
  peer(name: PeerName): Peer;
  /** Another process of this service at an address (host:port); one channel for each, which ends with the service. */
  sibling(address: string): Sibling;
  /** Counts and times every use case, by `<label>.<name>`; handlers and consumers get nothing else. */
  readonly observe: typeof observe;
} & (N extends { directory: true } ? { readonly directory: Directory } : unknown) &
  (N extends { blobs: true } ? { readonly blobs: BlobStore } : unknown) &
  (N extends { prisma: PrismaClass<infer Client> } ? { readonly prisma: Client } : unknown);

/** Edges that tests replace. */
export interface ReplacedEdges {
  /** Is not closed by the service. */
  readonly bus?: EventBus;
  /** Is not closed by the service. */
  readonly blobs?: BlobStore;
  readonly clock?: () => Date;
  /** By name of the service; those that are not named are connected to by their address. */
  readonly peers?: Readonly<Record<string, Peer>>;
}
