import { conflict } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { addToMergeTrain as whenChecksPass } from '../domain/auto-merge';
import { type AutoMergeMark, decideJoiningTrain, type MergeWhenReady } from '../domain/auto-merge-change';
import { canJoinTrain, canJoinTrainLater } from '../domain/detailed-merge-status';
import { checksOf, type MergeRequestView } from '../domain/merge-request-view';
import type { ChangeMergeRequest } from './change-together';
import type { MergeRequestEdges } from './merge-request.edges';
import { setAutoMerge } from './set-auto-merge';

faultPoints.push('train.boarded');

/** @throws AppError conflict when the source branch has another head than the one named (G-4.1-4) */
export function expectHead({ mergeRequest }: MergeRequestView, sha: string | undefined): void {
  if (sha !== undefined && sha !== mergeRequest.sourceSha) {
    throw conflict(`SHA does not match HEAD of source branch: ${mergeRequest.sourceSha ?? ''}`);
  }
}

/**
 * Puts a merge request at the end of the train of its target branch, in the name of a user whose right was checked.
 * @param onlyWhile the mark of auto-merge that requires it
 * @throws AppError not_allowed when it changed since `view`; conflict when it joined the train in the meantime
 */
export async function addCar(
  edges: { readonly mergeRequests: ChangeMergeRequest },
  userId: number,
  view: MergeRequestView,
  options: MergeWhenReady,
  onlyWhile?: AutoMergeMark,
): Promise<void> {
  const { mergeRequest, settings } = view;
  await edges.mergeRequests.change(mergeRequest.id, userId, (locked) =>
    decideJoiningTrain(locked, mergeRequest, { userId, options, squashOption: settings.squashOption, onlyWhile }),
  );
  faultPoint('train.boarded');
}

/** Adds it now where it is ready; else, if `later` is set and there is something to wait for, once its checks pass. */
export async function addCarOrWait(
  edges: Pick<MergeRequestEdges, 'clock'> & { readonly mergeRequests: ChangeMergeRequest },
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
