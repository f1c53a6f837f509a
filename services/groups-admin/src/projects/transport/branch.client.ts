import { isAppError } from '@switchyard/errors';
import { SourceCodeServiceService } from '@switchyard/protos/merge_requests/v1/source_code';
import { anonymous, type Peer } from '@switchyard/rpc';
import type { HasBranch } from '../application/fork-project';

/** Milliseconds of one question; the source may be a fork that is copied before it can be answered. */
const timeoutMs = 5_000;

/**
 * Asks merge-requests for branches, as work of who asks.
 * @param directorySequence the last one of the directory: the owner must know as much before it answers
 */
export function branchesOf(mergeRequests: Peer, directorySequence: () => Promise<number>): HasBranch {
  const client = mergeRequests.client(SourceCodeServiceService);
  return async (projectId, branch, { userId, requestId }) => {
    try {
      await client.findSourceCommit(
        { projectId, revision: `refs/heads/${branch}` },
        {
          requestId,
          actor: { ...anonymous, userId },
          directorySequence: await directorySequence(),
          timeoutMs,
          idempotent: true,
        },
      );
      return true;
    } catch (error) {
      if (isAppError(error, 'not_found')) return false;
      throw error;
    }
  };
}
