import { isAppError } from '@switchyard/errors';
import type { JobOutcome } from '../../jobs';
import { decideDeletion } from '../domain/change-consequences';
import type { MergeRequestStore } from './merge-request.ports';

/** Merge requests that one run of the job deletes at the most. */
const batch = 50;

/**
 * Deletes the merge requests of a user who was deleted with what they wrote, each as its own endpoint does. No user does
 * it. One that is being merged just now fails the run, after the others: it is deleted by the next one.
 */
export const deleteAuthored =
  (mergeRequests: Pick<MergeRequestStore, 'authoredBy' | 'remove'>) =>
  async (userId: number): Promise<JobOutcome> => {
    const ids = await mergeRequests.authoredBy(userId, batch);
    const failures: unknown[] = [];
    for (const id of ids) {
      await mergeRequests.remove(id, 0, undefined, decideDeletion).catch((error: unknown) => {
        if (!isAppError(error, 'not_found')) failures.push(error);
      });
    }
    if (failures.length > 0) throw failures[0];
    return ids.length === batch ? 'again' : undefined;
  };
