import { randomUUID } from 'node:crypto';
import type { Database } from '@switchyard/database';
import { DiscussionServiceService } from '@switchyard/protos/collaboration/v1/discussion';
import type { Peer } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import type { KeepNoteCounters, RefreshThreads } from '../application/merge-request.edges';

/** Milliseconds a landing waits for a reply: without one it uses what events reported. */
const timeoutMs = 1_000;

/** Reads the threads of a merge request from collaboration, and stores them as if an event had reported them. */
export function refreshThreads(peer: Peer, db: Database, keep: KeepNoteCounters): RefreshThreads {
  const client = peer.client(DiscussionServiceService);
  return async (projectId, mergeRequestId) => {
    try {
      const found = await client.countNotes(
        { kind: 'MergeRequest', projectId, targetId: mergeRequestId },
        { requestId: randomUUID(), timeoutMs, idempotent: true },
      );
      if (found.version === 0) return;
      await db.transaction((tx) =>
        keep(tx, {
          mergeRequestId,
          version: found.version,
          userNotes: found.userNotesCount,
          internalNotes: found.internalNotesCount,
          unresolvedDiscussions: found.unresolvedDiscussionsCount,
          upvotes: found.upvotes,
          downvotes: found.downvotes,
          activeAt: undefined,
        }),
      );
    } catch (error) {
      logger.warn({ err: error, merge_request_id: mergeRequestId }, 'threads could not be asked for before a landing');
    }
  };
}
