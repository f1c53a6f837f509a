import { AppError, isAppError } from '@switchyard/errors';
import type { PipelineStatus } from '../../pipelines';
import { mayMergeInto } from '../../repositories';
import { addToMergeTrain, onMergeTrain } from '../domain/auto-merge';
import { decideAbort } from '../domain/auto-merge-change';
import { canJoinTrain, gitFailure, hasToWait } from '../domain/detailed-merge-status';
import { checksOf } from '../domain/merge-request-view';
import type { RemovalReason } from '../domain/removal-reason';
import { addCar } from './add-to-merge-train';
import { cannotBeMerged } from './build-merge';
import { type CheckMergeability, withKnownMergeability } from './check-mergeability';
import { withCurrentThreads } from './current-threads';
import type { Landing } from './land-merge-request';
import type { MergeRequestEdges } from './merge-request.edges';

/** Auto-merge waits for a pipeline that succeeds, even where the project would take one that failed. */
const succeeded = (status: PipelineStatus | undefined): boolean =>
  status === undefined || status === 'success' || status === 'skipped';

/**
 * The job behind auto-merge: merges, or adds to the train where the project runs trains, when everything allows it;
 * waits when something is still open; and takes auto-merge back when the user who set it may not merge any more or saw
 * another head.
 */
export const runAutoMerge =
  (edges: MergeRequestEdges, { land }: Pick<Landing, 'land'>, check: CheckMergeability) =>
  async (id: number): Promise<void> => {
    const found = await edges.mergeRequests.view({ id });
    if (found === undefined) return;
    const { mergeRequest } = found;
    const { autoMergeStrategy, autoMergeUserId, autoMergeSha, projectId, targetBranch } = mergeRequest;
    if (mergeRequest.state !== 'opened' || autoMergeUserId === undefined) return;
    if (autoMergeStrategy === undefined || autoMergeStrategy === onMergeTrain) return;
    if (hasToWait(checksOf(found), edges.clock()) || !succeeded(found.pipelineStatus)) return;
    const abort = async (removalReason: RemovalReason, mergeError: string): Promise<void> => {
      await edges.mergeRequests.change(id, 0, (locked) =>
        decideAbort(locked, autoMergeStrategy, removalReason, mergeError),
      );
    };
    const project = await edges.directory.project(projectId);
    if (project === undefined) return;
    if (project.archived) return abort('archived', 'The project was archived.');
    const access = await edges.directory.accessOf(autoMergeUserId, projectId);
    if (!(await mayMergeInto(edges, projectId, targetBranch, access))) {
      return abort('right_lost', 'The user who set auto-merge may no longer merge into the target branch.');
    }
    const view = await withCurrentThreads(edges, await withKnownMergeability(edges, check, found));
    if (view.mergeRequest.state !== 'opened' || view.mergeRequest.sourceSha !== autoMergeSha) return;
    const checks = checksOf(view);
    if (hasToWait(checks, edges.clock())) return;
    const trains = view.settings.mergeTrains.enabled;
    if (trains && canJoinTrain(checks, edges.clock())) {
      const { mergeCommitMessage, squashCommitMessage } = mergeRequest;
      await addCar(edges, autoMergeUserId, view, { mergeCommitMessage, squashCommitMessage }, mergeRequest).catch(
        (error: unknown) => {
          // Taken back, pushed to or added to the train in the meantime: its new state has a job of its own.
          if (!isAppError(error, 'not_allowed', 'conflict')) throw error;
        },
      );
      return;
    }
    if (trains) return;
    if (autoMergeStrategy === addToMergeTrain)
      return abort('trains_disabled', 'Merge trains are no longer in force for the project.');
    if (checks.mergeStatus !== 'can_be_merged' || gitFailure(checks, edges.clock()) !== undefined) return;
    try {
      await land(id, autoMergeUserId, { expectedSha: autoMergeSha, targetBranch, onlyWhile: mergeRequest });
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'unavailable' || error.kind === 'internal') throw error;
      await abort('not_mergeable', `Auto-merge failed: ${cannotBeMerged}`);
    }
  };
