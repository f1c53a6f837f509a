import { isAppError } from '@switchyard/errors';
import { decideSourceDeleted, decideUnlinked } from '../domain/followed-push';
import type { MergeRequestEdges } from './merge-request.edges';

/** Merge requests of one round. */
const atOnce = 100;

/**
 * Closes the open merge requests whose source project is gone, or no fork of the same network any more, as GitLab does;
 * those that were closed before only lose their branch. What is being merged is left: the target holds what lands. It
 * compares rows with the directory, so that a process that dies before it changes nothing; repeatable.
 */
export const closeWithoutFork =
  ({ mergeRequests, clock }: Pick<MergeRequestEdges, 'mergeRequests' | 'clock'>) =>
  async (stopping?: AbortSignal): Promise<void> => {
    let after = 0;
    for (;;) {
      const found = await mergeRequests.withoutFork(after, atOnce);
      for (const { id, gone } of found) {
        if (stopping?.aborted) return;
        const now = clock();
        await mergeRequests
          .change(id, 0, (locked) =>
            gone ? decideSourceDeleted(locked, { actorId: 0 }, now) : decideUnlinked(locked, now),
          )
          .catch((error: unknown) => {
            // Deleted in the meantime, or its car is landing: then it is merged, or found again.
            if (!isAppError(error, 'not_found', 'not_acceptable', 'conflict')) throw error;
          });
      }
      if (found.length < atOnce) return;
      after = found.at(-1)?.id ?? after;
    }
  };
