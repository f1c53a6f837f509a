import { DiffPositionServiceService } from '@switchyard/protos/merge_requests/v1/diff_position';
import type { Peer } from '@switchyard/rpc';
import type { NoteableResolver } from '../../noteables';

/** Commits as noteables, by their full sha whatever names them. The gateway has looked at who reads the code. */
export function commitNoteables(peer: Peer, externalUrl: string): NoteableResolver<'Commit'> {
  const client = peer.client(DiffPositionServiceService);
  return async ({ projectId, revision }, { access, requestId }) => {
    const { sha, title, parentSha } = await client.describeCommit(
      { projectId, revision },
      { requestId, idempotent: true },
    );
    return {
      kind: 'Commit',
      projectId,
      targetId: 0,
      iid: undefined,
      sha,
      parentSha,
      authorId: 0,
      assigneeIds: [],
      title,
      webUrl: `${externalUrl}/${access?.fullPath}/-/commit/${sha}`,
      state: '',
      confidential: false,
      locked: false,
    };
  };
}
