import { notAllowed } from '@switchyard/errors';
import { noAutoMerge, onMergeTrain } from './auto-merge';
import { type AutoMergeMark, isStillSet } from './auto-merge-change';
import type { LockedMergeRequest, MergePlan, MergeRequestChange } from './merge-request-change';
import { unchecked } from './mergeability';

type NewPlan = Omit<MergePlan, 'mergeRequestId' | 'createdAt'>;

/** Whether a merge request is being merged by this plan: what was read before the lock may be another try by now. */
const isMergingBy = ({ mergeRequest, plannedSha }: LockedMergeRequest, newSha: string | undefined): boolean =>
  mergeRequest.state === 'locked' && plannedSha === newSha;

/**
 * Commits the intent to merge.
 * @param targetBranch the branch that the commits were written for
 * @throws AppError not_allowed when another process merges it, or it was closed, retargeted or added to a train in the
 * meantime
 */
export function decideIntent(
  { mergeRequest }: LockedMergeRequest,
  plan: NewPlan,
  { targetBranch, onlyWhile }: { readonly targetBranch: string; readonly onlyWhile: AutoMergeMark | undefined },
): MergeRequestChange {
  if (mergeRequest.state !== 'opened' || mergeRequest.targetBranch !== targetBranch) throw notAllowed();
  if (mergeRequest.autoMergeStrategy === onMergeTrain && !plan.skipsTrain) throw notAllowed();
  if (!isStillSet(mergeRequest, onlyWhile)) throw notAllowed();
  return { patch: { state: 'locked', mergeError: null }, plan, quiet: true };
}

/**
 * Commits the intent to land a car; its train decides whether the car may land. Undefined unless the merge request is
 * open.
 */
export const decideCarIntent = (
  { mergeRequest }: LockedMergeRequest,
  plan: NewPlan & { readonly carId: number },
): MergeRequestChange | undefined =>
  mergeRequest.state === 'opened'
    ? {
        patch: { state: 'locked', mergeError: null },
        plan,
        signal: { kind: 'landing_begun', carId: plan.carId, sha: plan.newSha },
        quiet: true,
      }
    : undefined;

/** Marks a merge request merged by a plan that was carried out. */
export const decideMerged = (locked: LockedMergeRequest, plan: MergePlan, now: Date): MergeRequestChange | undefined =>
  isMergingBy(locked, plan.newSha)
    ? {
        patch: {
          ...noAutoMerge,
          state: 'merged',
          mergedAt: now,
          mergeUserId: plan.actorId,
          mergeCommitSha: plan.mergeCommitSha ?? null,
          squashCommitSha: plan.squashCommitSha ?? null,
          sourceSha: plan.sourceSha,
          mergeStatus: 'can_be_merged',
          mergeError: null,
          shouldRemoveSourceBranch: plan.removeSourceBranch,
        },
        plan: plan.removeSourceBranch ? undefined : 'done',
        landed: plan,
        participants: [plan.actorId],
        facts: [{ kind: 'merged', mergeCommitSha: plan.newSha }],
      }
    : undefined;

/** Opens a merge request again after a plan that was not carried out. A car stays on its train and is built again. */
export function decideReopening(
  locked: LockedMergeRequest,
  plan: MergePlan | undefined,
  mergeError: string,
): MergeRequestChange | undefined {
  if (!isMergingBy(locked, plan?.newSha)) return undefined;
  const { mergeRequest } = locked;
  const carId = plan?.carId;
  return {
    patch: { state: 'opened', mergeError: carId === undefined ? mergeError : null, ...unchecked(mergeRequest) },
    plan: 'done',
    ...(carId === undefined ? {} : { signal: { kind: 'landing_failed', carId, sha: plan?.newSha ?? '' } }),
    jobs: [{ kind: 'mergeability', projectId: mergeRequest.projectId }],
  };
}

/** Drops a plan whose merge request is not being merged any more, or is merged and has lost its branch. */
export const decidePlanEnd = (
  { mergeRequest, plannedSha }: LockedMergeRequest,
  { newSha }: Pick<MergePlan, 'newSha'>,
): MergeRequestChange | undefined =>
  mergeRequest.state !== 'locked' && plannedSha === newSha ? { plan: 'done', quiet: true } : undefined;
