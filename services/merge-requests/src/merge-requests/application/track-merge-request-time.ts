import { forbidden } from '@switchyard/errors';
import type { TimeTracking, WorkTimes } from '@switchyard/texts';
import type { Caller } from '../../callers';
import { mayUpdate } from '../domain/merge-request-view';
import { decideTime } from '../domain/time-change';
import type { MergeRequestEdges } from './merge-request.edges';
import { viewOf } from './view-of';

/**
 * Sets or resets the estimate of a merge request, adds time spent or resets it (G-4.2-1), for users who may edit it.
 * Fails with `not_found`, `forbidden`, `invalid`.
 */
export const trackMergeRequestTime =
  ({ mergeRequests }: Pick<MergeRequestEdges, 'mergeRequests'>) =>
  async (caller: Caller, key: { projectId: number; iid: number }, tracking: TimeTracking): Promise<WorkTimes> => {
    const view = await viewOf({ mergeRequests }, key);
    if (!mayUpdate(caller, view)) throw forbidden();
    return mergeRequests.change(view.mergeRequest.id, caller.userId, (locked) =>
      decideTime(locked, tracking, caller.userId),
    );
  };
