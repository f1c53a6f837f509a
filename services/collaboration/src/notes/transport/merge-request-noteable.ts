import { isAppError, notFound } from '@switchyard/errors';
import { MergeRequestTargetServiceService } from '@switchyard/protos/merge_requests/v1/merge_request_target';
import type { Peer } from '@switchyard/rpc';
import { type NoteableResolver, noteableRules } from '../../noteables';

/**
 * Merge requests as noteables: asked of merge-requests on behalf of the reader, whose rights it checks.
 * @param directorySequence where this service's directory stands: the owner must know as much before it answers
 */
export function mergeRequestNoteables(peer: Peer, directorySequence: () => number): NoteableResolver<'MergeRequest'> {
  const client = peer.client(MergeRequestTargetServiceService);
  return async ({ projectId, iid }, { actor, requestId }) => {
    try {
      const found = await client.describe(
        { projectId, iid },
        { requestId, actor, directorySequence: directorySequence(), idempotent: true },
      );
      return {
        kind: 'MergeRequest',
        projectId: found.projectId,
        targetId: found.id,
        iid: found.iid,
        sha: '',
        authorId: found.authorId,
        assigneeIds: found.assigneeIds,
        title: found.title,
        webUrl: found.webUrl,
        state: found.state,
        confidential: false,
        locked: found.discussionLocked,
      };
    } catch (error) {
      throw isAppError(error, 'not_found') ? notFound(noteableRules.MergeRequest.thing) : error;
    }
  };
}
