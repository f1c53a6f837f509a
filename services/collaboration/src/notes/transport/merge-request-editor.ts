import { timeTrackingMessage } from '@switchyard/messages';
import { ApprovalServiceService } from '@switchyard/protos/merge_requests/v1/approval';
import { MergeRequestServiceService } from '@switchyard/protos/merge_requests/v1/merge_request';
import type { Peer } from '@switchyard/rpc';
import { timeTrackingOf } from '@switchyard/texts';
import type { NoteableEditor } from '../../noteables';

/**
 * Changes merge requests in the name of the user who writes a quick action: their owner decides, as for the endpoints.
 */
export function mergeRequestEditor(peer: Peer, directorySequence: () => number): NoteableEditor {
  const client = peer.client(MergeRequestServiceService);
  const approvals = peer.client(ApprovalServiceService);
  return async ({ actor, access, requestId }, { projectId, iid = 0 }, edit, { noteId, cause = '' } = {}) => {
    const options = { requestId, actor, access, directorySequence: directorySequence() };
    if (edit.subscribed !== undefined) {
      await client.setSubscription({ projectId, iid, subscribed: edit.subscribed }, options);
      return;
    }
    if (edit.review !== undefined) {
      if (edit.review === 'approve') await approvals.approve({ projectId, iid, sha: '' }, options);
      else if (edit.review === 'unapprove') await approvals.unapprove({ projectId, iid }, options);
      else await approvals.submitReview({ projectId, iid, state: 'requested_changes' }, options);
      return;
    }
    const tracking = timeTrackingOf(edit);
    if (tracking !== undefined) {
      const message = timeTrackingMessage({ ...tracking, noteId });
      await client.trackMergeRequestTime({ projectId, iid, tracking: message, cause }, options);
      return;
    }
    await client.updateMergeRequest(
      {
        projectId,
        iid,
        title: edit.title,
        stateEvent: edit.stateEvent,
        assigneeIds: edit.assigneeIds && { ids: [...edit.assigneeIds] },
        addAssigneeIds: [...(edit.addAssigneeIds ?? [])],
        removeAssigneeIds: [...(edit.removeAssigneeIds ?? [])],
        labels: edit.labels && { titles: [...edit.labels] },
        addLabels: [...(edit.addLabels ?? [])],
        removeLabels: [...(edit.removeLabels ?? [])],
        milestoneId: edit.milestoneId,
        discussionLocked: edit.locked,
        clearMergeAfter: false,
        strict: true,
        description: undefined,
        targetBranch: undefined,
        reviewerIds: undefined,
        removeSourceBranch: undefined,
        squash: undefined,
        allowCollaboration: undefined,
        mergeAfter: undefined,
      },
      options,
    );
  };
}
