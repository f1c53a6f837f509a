import { AppError, conflict } from '@switchyard/errors';
import type { LockedMergeRequest, MergeRequestChange } from './merge-request-change';

/** Queues a rebase. @throws AppError not_allowed unless it is open; conflict while a rebase runs */
export function decideRebase(
  { mergeRequest }: LockedMergeRequest,
  { userId, skipCi }: { readonly userId: number; readonly skipCi: boolean },
): MergeRequestChange {
  const { id, state, rebaseInProgress, lockVersion } = mergeRequest;
  if (state !== 'opened') throw new AppError('not_allowed');
  if (rebaseInProgress) {
    throw conflict(
      'Failed to enqueue the rebase operation, possibly due to a long-lived transaction. Try again later.',
    );
  }
  return {
    patch: { rebaseInProgress: true, mergeError: null },
    participants: [userId],
    facts: [{ kind: 'acted', act: 'rebased', actId: `${id}-${lockVersion + 1}` }],
    jobs: [{ kind: 'rebase', mergeRequestId: id, actorId: userId, skipCi }],
  };
}

/** Ends a rebase. @param mergeError why it failed; null after one that succeeded */
export const decideRebaseEnd = (mergeError: string | null): MergeRequestChange => ({
  patch: { rebaseInProgress: false, mergeError },
  quiet: true,
});
