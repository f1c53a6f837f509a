import { invalid } from '@switchyard/errors';
import { type SpentTime, type TimeTracking, trackTime, withoutTime } from '@switchyard/texts';
import { type LockedMergeRequest, type MergeRequestChange, timeChangesOf } from './merge-request-change';

function changeOf(
  { mergeRequest }: LockedMergeRequest,
  tracked: ReturnType<typeof trackTime>,
  userId: number,
): MergeRequestChange | undefined {
  if ('problems' in tracked) throw invalid(tracked.problems);
  const timeChanges = timeChangesOf(mergeRequest, tracked.times);
  if (timeChanges.length === 0) return undefined;
  return {
    patch: tracked.times,
    timelogs: tracked.logs,
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
        changes: [],
      },
    ],
  };
}

/** Sets estimate or time spent; undefined when nothing changes. @throws AppError invalid for times that cannot be */
export const decideTime = (
  locked: LockedMergeRequest,
  tracking: TimeTracking,
  userId: number,
): MergeRequestChange | undefined => changeOf(locked, trackTime(locked.mergeRequest, tracking), userId);

/** Deletes an entry of time. @throws AppError invalid when the time spent would fall below 0 */
export const decideTimelogRemoval = (
  locked: LockedMergeRequest,
  log: Pick<SpentTime, 'seconds'> & { readonly id: number },
  userId: number,
): MergeRequestChange => ({
  ...changeOf(locked, withoutTime(locked.mergeRequest, log), userId),
  removedTimelogId: log.id,
});
