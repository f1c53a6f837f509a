import { isAppError, notFound } from '@switchyard/errors';
import { AlertTargetServiceService } from '@switchyard/protos/alerts/v1/alert_target';
import type { Peer } from '@switchyard/rpc';
import { type NoteableResolver, noteableRules } from '../../noteables';

const kind = 'AlertManagement::Alert';

/**
 * Alerts as noteables: asked of their service on behalf of the reader, whose rights it checks.
 * @param directorySequence where this service's directory stands: the owner must know as much before it answers
 */
export function alertNoteables(peer: Peer, directorySequence: () => number): NoteableResolver<typeof kind> {
  const client = peer.client(AlertTargetServiceService);
  return async ({ projectId, iid }, { actor, requestId }) => {
    try {
      const found = await client.describe(
        { projectId, iid },
        { requestId, actor, directorySequence: directorySequence(), idempotent: true },
      );
      return {
        kind,
        projectId: found.projectId,
        targetId: found.id,
        iid: found.iid,
        sha: '',
        // A payload raised it.
        authorId: 0,
        assigneeIds: found.assigneeIds,
        title: found.title,
        webUrl: found.webUrl,
        state: found.status,
        // Developers see it.
        confidential: true,
        locked: false,
      };
    } catch (error) {
      throw isAppError(error, 'not_found') ? notFound(noteableRules[kind].thing) : error;
    }
  };
}
