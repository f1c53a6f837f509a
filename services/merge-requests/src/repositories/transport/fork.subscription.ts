import type { Tx } from '@switchyard/database';
import { afterDirectory, type Directory } from '@switchyard/directory';
import { type AnySubscription, projectEvents, subscription } from '@switchyard/events';

/** What follows for forks, within the transaction that consumes the event. */
export interface ForkJobs {
  /** Queues the copy of the repository of a new fork. */
  copy(tx: Tx, projectId: number): Promise<void>;
  /** Queues what waited for a project that was marked for deletion. */
  goOn(tx: Tx, projectId: number): Promise<void>;
}

/** New forks, and projects that are there again: each event counts once (D6). */
export const forkSubscription = (directory: Pick<Directory, 'ensure'>, jobs: ForkJobs): AnySubscription =>
  subscription({
    event: projectEvents,
    before: afterDirectory(directory),
    async handle({ projectId, fact }, tx) {
      if (fact?.$case === 'created' && fact.value.repositoryOriginId > 0) await jobs.copy(tx, projectId);
      if (fact?.$case === 'restored') await jobs.goOn(tx, projectId);
    },
  });
