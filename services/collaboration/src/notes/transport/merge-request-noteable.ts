import { isAppError, notFound } from '@switchyard/errors';
import { MergeRequestTargetServiceService } from '@switchyard/protos/merge_requests/v1/merge_request_target';
import type { Peer } from '@switchyard/rpc';
import { type Noteable, type NoteableResolver, noteableRules, type Reader } from '../../noteables';

/** Finds merge requests, by number or by id. Fails with `not_found`. */
export interface MergeRequestNoteables {
  readonly find: NoteableResolver<'MergeRequest'>;
  readonly findById: (projectId: number, id: number, reader: Reader) => Promise<Noteable>;
}

/**
 * Merge requests as noteables: asked of merge-requests on behalf of the reader, whose rights it checks.
 * @param directorySequence where this service's directory stands: the owner must know as much before it answers
 */
export function mergeRequestNoteables(peer: Peer, directorySequence: () => number): MergeRequestNoteables {
  const client = peer.client(MergeRequestTargetServiceService);
  const describe = async (
    wanted: { projectId: number; iid: number; id: number },
    { actor, requestId }: Reader,
  ): Promise<Noteable> => {
    try {
      const found = await client.describe(wanted, {
        requestId,
        actor,
        directorySequence: directorySequence(),
        idempotent: true,
      });
      return {
        kind: 'MergeRequest',
        projectId: found.projectId,
        targetId: found.id,
        iid: found.iid,
        sha: '',
        headSha: found.headSha,
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
  return {
    find: ({ projectId, iid }, reader) => describe({ projectId, iid, id: 0 }, reader),
    findById: (projectId, id, reader) => describe({ projectId, iid: 0, id }, reader),
  };
}
