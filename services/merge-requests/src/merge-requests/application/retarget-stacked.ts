import { isAppError, unavailable } from '@switchyard/errors';
import { parseSha, type Repository, readHeads, type Sha } from '../../git';
import type { RefChange } from '../../repositories';
import type { MergeRequest } from '../domain/merge-request';
import { decideRetargeting } from '../domain/merge-request-edit';
import { compareBranches } from './compare-branches';
import type { FollowEdges } from './merge-request.edges';
import { isAcross } from './source-branch';

/** Merge requests of one branch that follow it when it lands; more than that is no stack. */
const stacked = 100;

const broughtHead = ({ sourceSha }: MergeRequest): Sha | undefined =>
  sourceSha === undefined ? undefined : parseSha(sourceSha);

/**
 * Points the open merge requests into a branch that was removed at the branch that it landed in, as stacked merge
 * requests need it. It landed when a merge request from it was merged at the very commit that it pointed at; a branch
 * that had moved on, or never landed, takes none along. Those from forks follow too: their commits lie in the target
 * (ADR 39). Idempotent: what has another target already stays.
 * @throws AppError unavailable while one of them is being merged, to be tried again
 */
export const retargetStacked =
  (edges: Pick<FollowEdges, 'mergeRequests' | 'clock' | 'externalUrl'>) =>
  async (repo: Repository, change: RefChange, branch: string, into: readonly MergeRequest[]): Promise<void> => {
    const target = await edges.mergeRequests.landedIn(change.projectId, branch, change.before);
    if (target === undefined) return;
    const followers = into.slice(0, stacked);
    const own = followers.filter((mr) => !isAcross(mr));
    const heads = await readHeads(repo, [target, ...own.map(({ sourceBranch }) => sourceBranch)]);
    const sha = heads.get(target);
    if (sha === undefined) return;
    for (const mr of followers) {
      // What was brought of a fork; a push that is under way there brings the rest.
      const source: Sha | undefined = isAcross(mr) ? broughtHead(mr) : heads.get(mr.sourceBranch);
      if (source === undefined || (!isAcross(mr) && mr.sourceBranch === target)) continue;
      if (mr.state === 'locked') throw unavailable('a merge request of the branch is being merged');
      const diff = await compareBranches(repo, sha, source);
      try {
        await edges.mergeRequests.change(mr.id, change.actorId, (locked) =>
          decideRetargeting(locked, { from: branch, to: target, target: { sha, diff } }, change.actorId, edges),
        );
      } catch (error) {
        // One into that branch is open already: two of the same would be one too many.
        if (!isAppError(error, 'conflict')) throw error;
      }
    }
  };
