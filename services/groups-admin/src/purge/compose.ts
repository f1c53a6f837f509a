import { repeat } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import type { CurrentSettings } from '../settings';
import { purge } from './application/purge';
import { purgeStore } from './storage/purge.store';

/** Milliseconds between two searches for what is due. */
const purgeIntervalMs = 5_000;

/** The purge of what is marked for deletion. */
export interface PurgeArea extends Area {
  /** Purges until nothing is due or `signal` is aborted; returns how many projects and namespaces were deleted. */
  purge(signal?: AbortSignal): Promise<number>;
}

/** The job that deletes groups, projects and the namespaces of deleted users once they are due. */
export function composePurge(
  { observe }: Edges,
  { transaction }: DirectoryWriter,
  settings: CurrentSettings,
): PurgeArea {
  const delayDays = async () => (await settings()).deletion_adjourned_period;
  const due = observe('purge', { purge: purge({ transaction, store: purgeStore(), delayDays }) });
  return { ...due, start: () => [repeat('deleted groups and projects', purgeIntervalMs, due.purge)] };
}
