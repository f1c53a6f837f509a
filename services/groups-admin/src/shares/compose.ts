import { repeat } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { manageShares } from './application/manage-shares';
import { shareStore } from './storage/share.store';
import { type ShowGroup, shareHandler } from './transport/share.handler';

/** Milliseconds between two searches for shares that have expired. */
const expiryIntervalMs = 5_000;

/** Shares, and the job that ends them. */
export interface ShareArea extends Area {
  /** Removes shares that have expired; returns how many. */
  expire(): Promise<number>;
}

/** Shares of groups and projects with groups, and the job that ends expired ones. */
export function composeShares({ observe }: Edges, writer: DirectoryWriter, showGroup: ShowGroup): ShareArea {
  const { expire, ...shares } = observe('shares', manageShares({ shares: shareStore(writer) }));
  return {
    services: [shareHandler(shares, showGroup)],
    expire,
    start: () => [repeat('expired shares', expiryIntervalMs, () => expire())],
  };
}
