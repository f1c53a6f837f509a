import { notAllowed } from '@switchyard/errors';
import { approvalsLeft } from './approvals';
import { noAutoMerge, onMergeTrain } from './auto-merge';
import { type AutoMergeMark, isStillSet } from './auto-merge-change';
import { reviewFailure } from './detailed-merge-status';
import type {
  LandedPlan,
  LockedMergeRequest,
  MergePlan,
  MergeRequestChange,
  PlannedMerge,
  ReviewedMergeRequest,
} from './merge-request-change';
import { unchecked } from './mergeability';

type NewPlan = Omit<MergePlan, 'mergeRequestId' | 'createdAt'>;

/** Whether a merge request is being merged by this plan: what was read before the lock may be another try by now. */
const isMergingBy = ({ mergeRequest, planned }: LockedMergeRequest, plan: MergePlan | undefined): boolean =>
  mergeRequest.state === 'locked' && isSame(planned, plan);

const isSame = (one: LockedMergeRequest['planned'], other: LockedMergeRequest['planned']): boolean =>
  one?.newSha === other?.newSha && one?.movesTo === other?.movesTo;

/**
 * The plans of one landing in queue order, each on the commit of the one before, with what was tested for all of them.
 * @param plans all that land by one move of their branch
 */
export function landedTogether(plans: readonly Pick<PlannedMerge, 'plan' | 'iid'>[]): LandedPlan[] {
  const onto = new Map(plans.map((one) => [one.plan.oldSha, one]));
  const ordered: (typeof plans)[number][] = [];
  let next = plans[0] && onto.get(plans[0].plan.movesFrom);
  while (next !== undefined && ordered.length < plans.length) {
    ordered.push(next);
    next = onto.get(next.plan.newSha);
  }
  const testedTree = ordered.at(-1)?.plan.treeSha;
  const batchIids = ordered.length > 1 ? ordered.map(({ iid }) => iid) : [];
  return ordered.map(({ plan }) => ({ ...plan, testedTree, batchIids }));
}

/** Whether it is approved, no one requests changes, and it waits for no other at the moment at which its merge is committed. */
const isAgreed = ({ mergeRequest, approval, changesRequested, openBlocks }: ReviewedMergeRequest, now: Date): boolean =>
  reviewFailure({ changesRequested, approvalsLeft: approvalsLeft(mergeRequest, approval), openBlocks }, now) ===
  undefined;

/**
 * Commits the intent to merge.
 * @param targetBranch the branch that the commits were written for
 * @throws AppError not_allowed when another process merges it, or it was closed, retargeted, added to a train or lost an
 * approval or came to wait for another one in the meantime
 */
export function decideIntent(
  locked: ReviewedMergeRequest,
  plan: NewPlan,
  {
    targetBranch,
    onlyWhile,
    squash,
    now,
  }: {
    readonly targetBranch: string;
    readonly onlyWhile: AutoMergeMark | undefined;
    /** The choice that came with the merge; undefined leaves that of the merge request. */
    readonly squash?: boolean | undefined;
    readonly now: Date;
  },
): MergeRequestChange {
  const { mergeRequest } = locked;
  if (mergeRequest.state !== 'opened' || mergeRequest.targetBranch !== targetBranch) throw notAllowed();
  if (mergeRequest.autoMergeStrategy === onMergeTrain && !plan.skipsTrain) throw notAllowed();
  if (!isStillSet(mergeRequest, onlyWhile) || !isAgreed(locked, now)) throw notAllowed();
  return {
    patch: { state: 'locked', mergeError: null, ...(squash === undefined ? {} : { squash }) },
    plan,
    quiet: true,
  };
}

/**
 * Commits the intent to land a car; its train decides whether the car may land. Undefined unless the merge request is
 * open, approved and not blocked.
 */
export const decideCarIntent = (
  locked: ReviewedMergeRequest,
  plan: NewPlan & { readonly carId: number },
  now: Date,
): MergeRequestChange | undefined =>
  locked.mergeRequest.state === 'opened' && isAgreed(locked, now)
    ? {
        patch: { state: 'locked', mergeError: null },
        plan,
        signal: { kind: 'landing_begun', carId: plan.carId, sha: plan.newSha, to: plan.movesTo ?? plan.newSha },
        quiet: true,
      }
    : undefined;

/** Has a plan that a process left behind carried out; undefined when the merge request is not merged by it any more. */
export const decideResumption = (locked: LockedMergeRequest, plan: MergePlan): MergeRequestChange | undefined =>
  isMergingBy(locked, plan) ? { quiet: true } : undefined;

/** Marks a merge request merged by a plan that was carried out. */
export const decideMerged = (
  locked: LockedMergeRequest,
  plan: LandedPlan,
  now: Date,
): MergeRequestChange | undefined =>
  isMergingBy(locked, plan)
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
  if (!isMergingBy(locked, plan)) return undefined;
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
  { mergeRequest, planned }: LockedMergeRequest,
  plan: Pick<MergePlan, 'newSha' | 'movesTo'>,
): MergeRequestChange | undefined =>
  mergeRequest.state !== 'locked' && isSame(planned, plan) ? { plan: 'done', quiet: true } : undefined;
