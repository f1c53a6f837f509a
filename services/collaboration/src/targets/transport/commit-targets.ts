import { CommitTargetServiceService } from '@switchyard/protos/merge_requests/v1/commit_target';
import type { Peer } from '@switchyard/rpc';
import type { ShownTargets } from '../application/targets';

/**
 * Asks merge-requests for commits on behalf of the reader, whose rights it checks.
 * @param directorySequence where this service's directory stands: the owner must know as much before it answers
 * @param commitsOf which commits ids stand for: one statement
 */
export function commitTargets(
  peer: Peer,
  directorySequence: () => number,
  commitsOf: (ids: readonly number[]) => Promise<{ id: number; projectId: number; sha: string }[]>,
): ShownTargets {
  const client = peer.client(CommitTargetServiceService);
  return {
    async byIds(ids, { actor, requestId }) {
      const commits = ids.length === 0 ? [] : await commitsOf(ids);
      if (commits.length === 0) return new Map();
      const { targets } = await client.batchGet(
        { commits: commits.map(({ projectId, sha }) => ({ projectId, sha })) },
        { requestId, actor, directorySequence: directorySequence(), idempotent: true },
      );
      const found = new Map(targets.map((target) => [`${target.projectId} ${target.sha}`, target]));
      return new Map(
        commits.flatMap(({ id, projectId, sha }) => {
          const target = found.get(`${projectId} ${sha}`);
          if (target === undefined) return [];
          const { json, webUrl, title } = target;
          return [[id, { id, iid: 0, projectId, json, webUrl, title }] as const];
        }),
      );
    },
  };
}
