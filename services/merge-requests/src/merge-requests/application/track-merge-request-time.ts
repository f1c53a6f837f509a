import { forbidden } from '@switchyard/errors';
import type { TimeTracking, WorkTimes } from '@switchyard/texts';
import type { Caller } from '../../callers';
import type { LockedMergeRequest } from '../domain/merge-request-change';
import { mayUpdate } from '../domain/merge-request-view';
import { decideTime } from '../domain/time-change';
import type { MergeRequestEdges } from './merge-request.edges';
import { viewOf } from './view-of';

/**
 * Sets or resets the estimate of a merge request, adds time spent or resets it (G-4.2-1), for users who may edit it.
 * What has a cause is done once.
 * Fails with `not_found`, `forbidden`, `invalid`.
 */
export const trackMergeRequestTime =
  ({ mergeRequests }: Pick<MergeRequestEdges, 'mergeRequests'>) =>
  async (
    caller: Caller,
    key: { projectId: number; iid: number },
    tracking: TimeTracking,
    cause?: string,
  ): Promise<WorkTimes> => {
    const view = await viewOf({ mergeRequests }, key);
    if (!mayUpdate(caller, view)) throw forbidden();
    const { id } = view.mergeRequest;
    const decide = (locked: LockedMergeRequest) => decideTime(locked, tracking, caller.userId);
    return cause === undefined
      ? mergeRequests.change(id, caller.userId, decide)
      : mergeRequests.changeOnce(id, caller.userId, cause, decide);
  };
