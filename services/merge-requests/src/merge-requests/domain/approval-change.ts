import { AppError, conflict, notFound, unauthorized } from '@switchyard/errors';
import { type ApprovalFacts, approvalsLeft } from './approvals';
import { onMergeTrain } from './auto-merge';
import type { MergeRequest } from './merge-request';
import type {
  Act,
  ApprovalsOfAct,
  MergeRequestChange,
  MergeRequestFact,
  ReviewedMergeRequest,
} from './merge-request-change';

/** Who approves. */
export interface Approver {
  readonly userId: number;
  /** An active Developer or more. */
  readonly eligible: boolean;
  /** Committed to the merge request; looked up where the project cares. */
  readonly committed: boolean;
}

/** Refuses the approval of another commit than the head (G-4.2-8). */
const stale = (sourceSha: string | undefined): AppError =>
  conflict(`SHA does not match HEAD of source branch: ${sourceSha ?? ''}`);

const acted = ({ id, lockVersion }: MergeRequest, act: Act, approvals: ApprovalsOfAct = {}): MergeRequestFact => ({
  kind: 'acted',
  act,
  actId: `${id}-${lockVersion + 1}`,
  ...approvals,
});

/** The part of an act that says whose approvals it takes back; empty where there are none. */
export const losing = (
  mergeRequest: MergeRequest,
  approval: ApprovalFacts,
  userIds: readonly number[],
): ApprovalsOfAct =>
  userIds.length === 0 ? {} : { approved: approvalsLeft(mergeRequest, approval) === 0, lostApprovalUserIds: userIds };

/** Whether a user may approve a merge request now. */
export function mayApprove(
  { mergeRequest, approval }: Pick<ReviewedMergeRequest, 'mergeRequest' | 'approval'>,
  { userId, eligible, committed }: Approver,
): boolean {
  const { settings, approvals } = approval;
  return (
    mergeRequest.state === 'opened' &&
    eligible &&
    (settings.byAuthor || mergeRequest.authorId !== userId) &&
    !(settings.notByCommitters && committed) &&
    approvals.every((one) => one.userId !== userId)
  );
}

/**
 * Approves a merge request. One that waits for its checks is checked at once.
 * @param sha what its head must be; undefined: anything
 * @throws AppError unauthorized for who may not approve it; conflict when its head is another
 */
export function decideApproval(
  locked: ReviewedMergeRequest,
  approver: Approver,
  sha: string | undefined,
): MergeRequestChange {
  const { mergeRequest } = locked;
  if (!mayApprove(locked, approver)) throw unauthorized();
  if (sha !== undefined && sha !== mergeRequest.sourceSha) throw stale(mergeRequest.sourceSha);
  const { userId } = approver;
  const waits = mergeRequest.autoMergeStrategy !== undefined && mergeRequest.autoMergeStrategy !== onMergeTrain;
  return {
    approvals: { added: userId },
    reviews: [{ userId, state: 'approved' }],
    participants: [userId],
    facts: [acted(mergeRequest, 'approved')],
    jobs: waits ? [{ kind: 'auto_merge', mergeRequestId: mergeRequest.id }] : [],
  };
}

/**
 * Takes an approval back.
 * @throws AppError not_found without one; unauthorized when the merge request is not open
 */
export function decideUnapproval({ mergeRequest, approval }: ReviewedMergeRequest, userId: number): MergeRequestChange {
  if (approval.approvals.every((one) => one.userId !== userId)) throw new AppError('not_found', '404 Not found');
  if (mergeRequest.state !== 'opened') throw unauthorized();
  return {
    approvals: { removed: [userId] },
    reviews: [{ userId, state: 'unapproved' }],
    facts: [acted(mergeRequest, 'unapproved', losing(mergeRequest, approval, [userId]))],
  };
}

/**
 * Says where the review of a reviewer stands. Who requests changes does not approve any more.
 * @throws AppError unauthorized when the merge request is not open; not_found for who is no reviewer
 */
export function decideReview(
  { mergeRequest, reviewerIds, approval }: ReviewedMergeRequest,
  userId: number,
  state: 'reviewed' | 'requested_changes',
): MergeRequestChange {
  if (!reviewerIds.includes(userId)) throw notFound('Reviewer');
  if (mergeRequest.state !== 'opened') throw unauthorized();
  const takesBack = state === 'requested_changes' && approval.approvals.some((one) => one.userId === userId);
  return {
    ...(takesBack ? { approvals: { removed: [userId] } } : {}),
    reviews: [{ userId, state }],
    facts: [
      acted(
        mergeRequest,
        state === 'reviewed' ? 'reviewed' : 'changes_requested',
        losing(mergeRequest, approval, takesBack ? [userId] : []),
      ),
    ],
  };
}

/** The part of a change that takes approvals back; those who gave them are asked anew as far as they review it. */
export const withoutApprovals = (userIds: readonly number[]): Pick<MergeRequestChange, 'approvals' | 'reviews'> =>
  userIds.length === 0
    ? {}
    : {
        approvals: { removed: userIds },
        reviews: userIds.map((userId) => ({ userId, state: 'unapproved' as const })),
      };

/** Takes all approvals back; undefined where there are none. */
export function decideReset({ mergeRequest, approval }: ReviewedMergeRequest): MergeRequestChange | undefined {
  if (mergeRequest.state !== 'opened') throw unauthorized();
  const userIds = approval.approvals.map(({ userId }) => userId);
  return userIds.length === 0 ? undefined : { ...withoutApprovals(userIds), quiet: true };
}

/**
 * Whose approvals a push takes back: everyone's where the project says so; else, where who committed may not approve,
 * those of who pushes.
 */
export function approvalsLostByPush(
  { approval: { settings, approvals } }: Pick<ReviewedMergeRequest, 'approval'>,
  pusherId: number,
): number[] {
  const given = approvals.map(({ userId }) => userId);
  if (settings.resetOnPush) return given;
  return settings.notByCommitters ? given.filter((userId) => userId === pusherId) : [];
}
