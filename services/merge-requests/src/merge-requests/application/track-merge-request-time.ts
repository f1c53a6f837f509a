import { forbidden, invalid, notFound } from '@switchyard/errors';
import { type TimeTracking, trackTime, type WorkTimes } from '@switchyard/texts';
import type { Caller } from '../../callers';
import { type LockedMergeRequest, type MergeRequestChange, timeChangesOf } from '../domain/merge-request-change';
import type { MergeRequestEdges } from './merge-request.edges';
import { mayUpdate } from './update-merge-request';

function decide(
  { mergeRequest }: LockedMergeRequest,
  tracking: TimeTracking,
  by: number,
): MergeRequestChange | undefined {
  const tracked = trackTime(mergeRequest, tracking);
  if ('problems' in tracked) throw invalid(tracked.problems);
  const timeChanges = timeChangesOf(mergeRequest, tracked.times);
  if (timeChanges.length === 0) return undefined;
  return {
    patch: tracked.times,
    participants: [by],
    facts: [
      {
        kind: 'updated',
        addedAssigneeIds: [],
        removedAssigneeIds: [],
        addedReviewerIds: [],
        removedReviewerIds: [],
        mentions: { usernames: [], directlyAddressed: [] },
        issueReferences: undefined,
        changedFields: timeChanges.map(({ field }) => field),
        timeChanges,
      },
    ],
  };
}

/**
 * Sets or resets the estimate of a merge request, adds time spent or resets it (G-4.2-1), for users who may edit it.
 * Fails with `not_found`, `forbidden`, `invalid`.
 */
export const trackMergeRequestTime =
  ({ mergeRequests }: Pick<MergeRequestEdges, 'mergeRequests'>) =>
  async (caller: Caller, key: { projectId: number; iid: number }, tracking: TimeTracking): Promise<WorkTimes> => {
    const view = await mergeRequests.view(key);
    if (view === undefined) throw notFound();
    if (!mayUpdate(caller, view)) throw forbidden();
    return mergeRequests.change(view.mergeRequest.id, caller.userId, (locked) =>
      decide(locked, tracking, caller.userId),
    );
  };
