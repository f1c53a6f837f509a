import { invalid } from '@switchyard/errors';
import { type TimeTracking, trackTime } from '@switchyard/texts';
import { type LockedMergeRequest, type MergeRequestChange, timeChangesOf } from './merge-request-change';

/** Sets estimate or time spent; undefined when nothing changes. @throws AppError invalid for times that cannot be */
export function decideTime(
  { mergeRequest }: LockedMergeRequest,
  tracking: TimeTracking,
  userId: number,
): MergeRequestChange | undefined {
  const tracked = trackTime(mergeRequest, tracking);
  if ('problems' in tracked) throw invalid(tracked.problems);
  const timeChanges = timeChangesOf(mergeRequest, tracked.times);
  if (timeChanges.length === 0) return undefined;
  return {
    patch: tracked.times,
    participants: [userId],
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
