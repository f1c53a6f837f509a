import type { Database } from '@switchyard/database';
import type { Directory } from '@switchyard/directory';
import type { EventBus } from '@switchyard/events';
import type { Peer } from '@switchyard/rpc';
import type { observe } from '@switchyard/telemetry';
import type { Config } from './config';
import type { PrismaClient } from './generated/prisma/client';

/** What every area of the service is built from. */
export interface CollaborationEdges {
  readonly config: Config;
  readonly db: Database;
  readonly bus: EventBus;
  /** The present; tests replace it. */
  readonly clock: () => Date;
  readonly directory: Directory;
  readonly prisma: PrismaClient;
  /** Another service, called as this one. */
  peer(name: 'groups-admin' | 'merge-requests' | 'alerts'): Peer;
  /** Counts and times every use case, by `<label>.<name>`. */
  readonly observe: typeof observe;
}
