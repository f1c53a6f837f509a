import { conflict, notAllowed } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { onMergeTrain, addToMergeTrain as whenChecksPass } from '../domain/auto-merge';
import { canJoinTrain, canJoinTrainLater } from '../domain/detailed-merge-status';
import { squashes } from '../domain/merge-request';
import { checksOf, type MergeRequestView } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';
import { type AutoMergeMark, alreadySet, type MergeWhenReady, setAutoMerge, stillWanted } from './set-auto-merge';

faultPoints.push('train.boarded');

/** @throws AppError conflict when the source branch has another head than the one named (G-4.1-4) */
export function expectHead({ mergeRequest }: MergeRequestView, sha: string | undefined): void {
  if (sha !== undefined && sha !== mergeRequest.sourceSha) {
    throw conflict(`SHA does not match HEAD of source branch: ${mergeRequest.sourceSha ?? ''}`);
  }
}

/**
 * Puts a merge request at the end of the train of its target branch, in the name of a user whose right was checked.
 * @param onlyWhile the mark of auto-merge that asks for it
 * @throws AppError not_allowed when it changed since `view`; conflict when it joined the train in the meantime
 */
export async function addCar(
  edges: Pick<MergeRequestEdges, 'mergeRequests'>,
  userId: number,
  view: MergeRequestView,
  options: MergeWhenReady,
  onlyWhile?: AutoMergeMark,
): Promise<void> {
  const { id, sourceSha, targetBranch, squash, shouldRemoveSourceBranch, forceRemoveSourceBranch } = view.mergeRequest;
  const removeSourceBranch = options.removeSourceBranch ?? shouldRemoveSourceBranch ?? forceRemoveSourceBranch ?? false;
  await edges.mergeRequests.change(id, userId, ({ mergeRequest: now }) => {
    if (now.autoMergeStrategy === onMergeTrain) throw alreadySet();
    const same = now.sourceSha === sourceSha && now.targetBranch === targetBranch && !now.draft;
    if (now.state !== 'opened' || sourceSha === undefined || !same) throw notAllowed();
    if (!stillWanted(now, onlyWhile)) throw notAllowed();
    return {
      patch: {
        autoMergeStrategy: onMergeTrain,
        autoMergeUserId: userId,
        autoMergeSha: sourceSha,
        mergeUserId: userId,
        mergeError: null,
        mergeCommitMessage: options.mergeCommitMessage ?? null,
        squashCommitMessage: options.squashCommitMessage ?? null,
        shouldRemoveSourceBranch: options.removeSourceBranch ?? now.shouldRemoveSourceBranch ?? null,
        ...(options.squash === undefined ? {} : { squash: options.squash }),
      },
      addedCar: {
        sourceSha,
        squash: squashes(view.settings.squashOption, options.squash ?? squash),
        removeSourceBranch,
        mergeCommitMessage: options.mergeCommitMessage,
        squashCommitMessage: options.squashCommitMessage,
      },
      participants: [userId],
      facts: [{ kind: 'acted', act: 'auto_merge_changed', actId: `${id}-${now.lockVersion + 1}` }],
    };
  });
  faultPoint('train.boarded');
}

/** Boards now where the merge request is ready; else, if `later` is wanted and there is something to wait for, once its checks pass. */
export async function addCarOrWait(
  edges: Pick<MergeRequestEdges, 'mergeRequests' | 'clock'>,
  userId: number,
  view: MergeRequestView,
  options: MergeWhenReady,
  later: boolean,
): Promise<'added' | 'scheduled' | 'neither'> {
  const checks = checksOf(view);
  const now = edges.clock();
  if (canJoinTrain(checks, now)) {
    await addCar(edges, userId, view, options);
    return 'added';
  }
  if (!later || !canJoinTrainLater(checks, now)) return 'neither';
  await setAutoMerge(edges, userId, view, options, whenChecksPass);
  return 'scheduled';
}
