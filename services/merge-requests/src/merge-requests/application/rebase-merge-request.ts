import { forbidden, isAppError } from '@switchyard/errors';
import type { Caller } from '../../callers';
import { branchRef, parseBranchName, readCommit, replay } from '../../git';
import type { SkipPipeline } from '../../pipelines';
import { allowsForcePush } from '../../repositories';
import { decideRebase, decideRebaseEnd } from '../domain/rebase';
import type { MergeRequestEdges } from './merge-request.edges';
import { headsOf, isAcross } from './source-branch';
import { mayCallerPushToSource, mayPushToSource } from './source-right';
import { viewOf } from './view-of';

const failed = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.';

/**
 * Queues a rebase, which a job does (G-4.2-1). The branch of a fork is rebased by those who may push to it there.
 * @throws AppError forbidden without push right; conflict while one runs
 */
export const rebaseMergeRequest =
  (edges: MergeRequestEdges) =>
  async (caller: Caller, key: { projectId: number; iid: number }, skipCi: boolean): Promise<void> => {
    const view = await viewOf(edges, key);
    const { id, sourceBranch, sourceProjectId } = view.mergeRequest;
    const rules = await edges.protectedBranches.all(sourceProjectId);
    if (!(await mayCallerPushToSource(edges, caller, view.mergeRequest)))
      throw forbidden('Cannot push to source branch');
    // The target's commits go to the fork with it.
    if (isAcross(view.mergeRequest) && (await edges.codeReaders(caller, [key.projectId])).length === 0)
      throw forbidden();
    if (!allowsForcePush(rules, sourceBranch)) throw forbidden('Source branch is protected from force push');
    if (!view.mergeRequest.sourceBranchExists) throw forbidden('Source branch does not exist');
    await edges.mergeRequests.change(id, caller.userId, (locked) =>
      decideRebase(locked, { userId: caller.userId, skipCi }),
    );
  };

/**
 * The job: replays the source branch on the target branch. Idempotent: a branch that holds the whole target is left as
 * it is. With `skipCi` the head that is left has a pipeline that says it is not to be tested, unless it has another one.
 */
export const runRebase =
  (edges: MergeRequestEdges, skipPipeline: SkipPipeline) =>
  async (id: number, actorId: number, skipCi: boolean): Promise<void> => {
    const view = await edges.mergeRequests.view({ id });
    if (view === undefined || !view.mergeRequest.rebaseInProgress) return;
    const { projectId, sourceProjectId, sourceBranch } = view.mergeRequest;
    const end = async (mergeError: string | null): Promise<void> => {
      await edges.mergeRequests.change(id, actorId, () => decideRebaseEnd(mergeError));
    };
    const { repo } = await edges.openRepository(projectId);
    const { source, target } = await headsOf(edges, repo, view.mergeRequest);
    if (source === undefined || target === undefined || view.mergeRequest.state !== 'opened') return end(failed);
    const { name, email } = await edges.committers.committer(actorId);
    try {
      const replayed = await replay(repo, { onto: target, source, committer: { name, email, date: edges.clock() } });
      if (!replayed.ok) return end(failed);
      if (replayed.sha !== source) {
        if (isAcross(view.mergeRequest)) {
          // Who was allowed to push when it was asked for need not be now, and the fork is not under the target's locks.
          if (!(await mayPushToSource(edges, actorId, view.mergeRequest))) return end(failed);
          await edges.bringCommit({ from: projectId, into: sourceProjectId, sha: replayed.sha });
        }
        const [outcome] = await edges.changeRefs({
          projectId: sourceProjectId,
          actorId,
          source: 'api',
          updates: [{ ref: branchRef(parseBranchName(sourceBranch)), before: source, after: replayed.sha }],
        });
        if (outcome?.status !== 'moved') return end(failed);
      }
      if (skipCi) {
        await skipPipeline({
          projectId: sourceProjectId,
          sha: replayed.sha,
          ref: sourceBranch,
          tag: false,
          source: 'push',
          userId: actorId,
          committedAt: (await readCommit(repo, replayed.sha))?.committedAt,
        });
      }
    } catch (error) {
      if (!isAppError(error) || isAppError(error, 'unavailable', 'internal')) throw error;
      return end(failed);
    }
    return end(null);
  };
