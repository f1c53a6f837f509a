import { logger } from '@switchyard/telemetry';
import { mergeRequestRef, type Repository, readRefs, type Sha, zeroSha } from '../../git';
import type { MergeRequestEdges } from './merge-request.edges';

/**
 * Points `refs/merge-requests/<iid>/<leaf>` at a commit, so that clients can fetch it and its objects outlive the
 * source branch. Losing a race to another writer is fine: that one knows a newer head.
 */
export async function keepHeadRef(
  { changeRefs }: Pick<MergeRequestEdges, 'changeRefs'>,
  repo: Repository,
  { projectId, iid }: { projectId: number; iid: number },
  sha: Sha,
  leaf: 'head' | 'merge' = 'head',
): Promise<void> {
  const ref = mergeRequestRef(iid, leaf);
  try {
    const before = (await readRefs(repo, [ref])).get(ref)?.sha ?? zeroSha;
    if (before === sha) return;
    await changeRefs({ projectId, actorId: 0, source: 'internal', updates: [{ ref, before, after: sha }] });
  } catch (error) {
    logger.warn({ err: error, ref, project_id: projectId }, 'the ref of a merge request was not moved');
  }
}
