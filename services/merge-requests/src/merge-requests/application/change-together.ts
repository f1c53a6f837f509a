import { AsyncLocalStorage } from 'node:async_hooks';
import { noteShared, sharedWrites } from '@switchyard/database';
import type { WantedChange } from '../domain/merge-request-change';
import type { MergeRequestStore } from './merge-request.ports';
import { together } from './together';

/** What changes a merge request; see {@link MergeRequestStore}. */
export type ChangeMergeRequest = Pick<MergeRequestStore, 'change'>;

/** Changes in one transaction at the most: what waits for its locks waits for all of them. */
const changedAtOnce = 8;

/**
 * Changes merge requests that have something in common, such as a lock that each of them takes: those that are asked
 * for while one is saved are saved together, one transaction at a time for each subject. So a call that waits
 * holds no connection to the database, and a slow disk is waited for once.
 */
export function changeTogether(store: Pick<MergeRequestStore, 'changeTogether'>) {
  // The transaction belongs to all of them: it must not end, or be refused, with the call that asked first.
  const ofNobody = AsyncLocalStorage.snapshot();
  const save = together(changedAtOnce, (_subject: string, wanted: readonly WantedChange[]) =>
    ofNobody(() => sharedWrites(() => store.changeTogether(wanted))),
  );
  return (subject: string): ChangeMergeRequest => ({
    async change(id, actorId, decide) {
      const outcome = await save(subject, { id, actorId, decide, within: AsyncLocalStorage.snapshot() });
      if (outcome.status === 'rejected') throw outcome.reason;
      noteShared();
      return outcome.value;
    },
  });
}
