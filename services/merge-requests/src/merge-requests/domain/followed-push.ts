import { approvalsLostByPush, losing, withoutApprovals } from './approval-change';
import { noAutoMerge } from './auto-merge';
import type {
  DiffVersion,
  LockedMergeRequest,
  MergeRequestChange,
  Push,
  ReviewedMergeRequest,
} from './merge-request-change';
import { unchecked } from './mergeability';

/** A ref change that merge requests follow. */
export interface FollowedChange {
  /** Distinguishes it from other changes of the same merge request. */
  readonly actId: string;
  /** 0 for the service itself. */
  readonly actorId: number;
  /** It was pushed at another forge, from which both came. */
  readonly history?: boolean;
}

/** Closes a merge request whose source branch was deleted; one that is closed or being merged only loses its branch. */
export function decideSourceDeleted(
  { mergeRequest }: LockedMergeRequest,
  { actorId }: Pick<FollowedChange, 'actorId'>,
  now: Date,
): MergeRequestChange | undefined {
  if (mergeRequest.state === 'closed' || mergeRequest.state === 'locked') {
    return mergeRequest.sourceBranchExists ? { patch: { sourceBranchExists: false }, quiet: true } : undefined;
  }
  if (mergeRequest.state !== 'opened') return undefined;
  return {
    patch: {
      ...noAutoMerge,
      state: 'closed',
      sourceBranchExists: false,
      closedById: actorId > 0 ? actorId : null,
      closedAt: now,
      mergeError: null,
    },
    removalReason: 'source_branch_deleted',
    facts: [{ kind: 'closed' }],
  };
}

/** Closes an open merge request whose source project has left the network of forks of its target. */
export const decideUnlinked = ({ mergeRequest }: LockedMergeRequest, now: Date): MergeRequestChange | undefined =>
  mergeRequest.state !== 'opened'
    ? undefined
    : {
        patch: { ...noAutoMerge, state: 'closed', closedById: null, closedAt: now, mergeError: null },
        removalReason: 'closed',
        facts: [{ kind: 'closed' }],
      };

/** A closed merge request keeps the last diff it had while open; it is only recorded that its branch exists again. */
export const decideSourceRestored = (): MergeRequestChange => ({ patch: { sourceBranchExists: true }, quiet: true });

/** What a push gives a merge request. */
export interface NewHead {
  readonly sourceSha: string;
  readonly targetSha: string | undefined;
  readonly diff: DiffVersion | undefined;
  readonly push: Push | undefined;
}

/** Takes the new head of the source branch, and takes approvals back as the project says. */
export const decideNewHead = (
  locked: ReviewedMergeRequest,
  { sourceSha, targetSha, diff, push }: NewHead,
  { actId, actorId, history = false }: FollowedChange,
): MergeRequestChange | undefined => {
  const { mergeRequest, approval } = locked;
  const lost = approvalsLostByPush(locked, actorId);
  return mergeRequest.state !== 'opened' || mergeRequest.sourceSha === sourceSha
    ? undefined
    : {
        patch: {
          // The user who set auto-merge had seen another head.
          ...noAutoMerge,
          ...unchecked(mergeRequest),
          targetSha: targetSha ?? null,
          sourceBranchExists: true,
          changesCount: diff?.filesCount ?? null,
          mergeError: null,
        },
        newHead: sourceSha,
        ...withoutApprovals(lost),
        diff,
        removalReason: 'pushed',
        facts: history ? [] : [{ kind: 'acted', act: 'pushed', actId, push, ...losing(mergeRequest, approval, lost) }],
        ...(history ? { history, quiet: true } : {}),
        jobs: [{ kind: 'mergeability', projectId: mergeRequest.projectId }],
      };
};

/**
 * Marks a merge request merged whose commits reached the target branch by a push.
 * @param heads where source and target branch are
 */
export const decideMergedByPush = (
  { mergeRequest }: LockedMergeRequest,
  heads: { readonly source: string | undefined; readonly target: string },
  actorId: number,
  now: Date,
): MergeRequestChange | undefined =>
  mergeRequest.state !== 'opened' || mergeRequest.sourceSha !== heads.source
    ? undefined
    : {
        patch: {
          ...noAutoMerge,
          state: 'merged',
          mergedAt: now,
          mergeUserId: actorId > 0 ? actorId : null,
          mergeCommitSha: heads.target === mergeRequest.sourceSha ? null : heads.target,
          mergeStatus: 'can_be_merged',
          mergeError: null,
        },
        participants: [actorId],
        removalReason: 'merged_by_push',
        facts: [{ kind: 'merged', mergeCommitSha: heads.target }],
      };
