import type { Tx } from '@switchyard/database';
import { afterDirectory, type Directory } from '@switchyard/directory';
import { type AnySubscription, projectEvents, subscription } from '@switchyard/events';

/** Queues the copy of the repository of a new fork, each event once (D6). */
export const forkSubscription = (
  directory: Pick<Directory, 'ensure'>,
  queue: (tx: Tx, projectId: number) => Promise<void>,
): AnySubscription =>
  subscription({
    event: projectEvents,
    before: afterDirectory(directory),
    async handle({ projectId, fact }, tx) {
      if (fact?.$case === 'created' && fact.value.repositoryOriginId > 0) await queue(tx, projectId);
    },
  });
