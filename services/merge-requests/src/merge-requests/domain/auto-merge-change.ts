import { AppError, conflict, notAllowed } from '@switchyard/errors';
import { type addToMergeTrain, type mergeWhenChecksPass, noAutoMerge, onMergeTrain } from './auto-merge';
import type { CarSignal } from './car-signal';
import { type MergeRequest, type ProjectMergeSettings, squashes } from './merge-request';
import type { LockedMergeRequest, MergeRequestChange, MergeRequestFact } from './merge-request-change';
import type { RemovalReason } from './removal-reason';

/** How a merge request is merged when its checks pass; what is undefined is as the merge request says. */
export interface MergeWhenReady {
  readonly mergeCommitMessage?: string | undefined;
  readonly squashCommitMessage?: string | undefined;
  readonly squash?: boolean | undefined;
  readonly removeSourceBranch?: boolean | undefined;
  /** Joins a train at its front. */
  readonly first?: boolean | undefined;
}

/** Auto-merge as a user set it. */
export type AutoMergeMark = Pick<MergeRequest, 'autoMergeStrategy' | 'autoMergeUserId' | 'autoMergeSha'>;

/** Whether auto-merge is set as it was read; true without a mark. */
export const isStillSet = (now: MergeRequest, read: AutoMergeMark | undefined): boolean =>
  read === undefined ||
  (now.autoMergeStrategy === read.autoMergeStrategy &&
    now.autoMergeUserId === read.autoMergeUserId &&
    now.autoMergeSha === read.autoMergeSha);

/** Refuses to set auto-merge, or to add to the train, twice (G-4.1-4). */
export const alreadySet = (): AppError => conflict('Merge request is already set to Auto-Merge');

const autoMergeActed = ({ id, lockVersion }: MergeRequest): MergeRequestFact => ({
  kind: 'acted',
  act: 'auto_merge_changed',
  actId: `${id}-${lockVersion + 1}`,
});

/**
 * Marks a merge request to be merged, or to join its train, once its checks pass.
 * @param read the merge request whose checks were read
 * @throws AppError not_allowed when it changed in the meantime; conflict when it is on a train
 */
export function decideAutoMerge(
  { mergeRequest }: Pick<LockedMergeRequest, 'mergeRequest'>,
  { sourceSha }: Pick<MergeRequest, 'sourceSha'>,
  {
    userId,
    options,
    strategy,
  }: {
    readonly userId: number;
    readonly options: MergeWhenReady;
    readonly strategy: typeof mergeWhenChecksPass | typeof addToMergeTrain;
  },
): MergeRequestChange {
  if (mergeRequest.state !== 'opened' || mergeRequest.sourceSha !== sourceSha) throw notAllowed();
  if (mergeRequest.autoMergeStrategy === onMergeTrain) throw alreadySet();
  return {
    patch: {
      autoMergeStrategy: strategy,
      autoMergeUserId: userId,
      autoMergeSha: sourceSha ?? null,
      mergeUserId: userId,
      mergeCommitMessage: options.mergeCommitMessage ?? null,
      squashCommitMessage: options.squashCommitMessage ?? null,
      shouldRemoveSourceBranch: options.removeSourceBranch ?? null,
      ...(options.squash === undefined ? {} : { squash: options.squash }),
      mergeError: null,
    },
    participants: [userId],
    facts: [autoMergeActed(mergeRequest)],
    // Its pipeline may have ended after it was read and before this commit.
    jobs: [{ kind: 'auto_merge', mergeRequestId: mergeRequest.id }],
  };
}

/**
 * Puts a merge request at the end of the train of its target branch.
 * @param read the merge request whose checks were read
 * @throws AppError not_allowed when it changed in the meantime; conflict when it is on a train
 */
export function decideJoiningTrain(
  { mergeRequest: now }: Pick<LockedMergeRequest, 'mergeRequest'>,
  { sourceSha, targetBranch, squash, shouldRemoveSourceBranch, forceRemoveSourceBranch }: MergeRequest,
  {
    userId,
    options,
    squashOption,
    onlyWhile,
  }: {
    readonly userId: number;
    readonly options: MergeWhenReady;
    readonly squashOption: ProjectMergeSettings['squashOption'];
    /** The mark of auto-merge that requires it. */
    readonly onlyWhile: AutoMergeMark | undefined;
  },
): MergeRequestChange {
  if (now.autoMergeStrategy === onMergeTrain) throw alreadySet();
  const same = now.sourceSha === sourceSha && now.targetBranch === targetBranch && !now.draft;
  if (now.state !== 'opened' || sourceSha === undefined || !same) throw notAllowed();
  if (!isStillSet(now, onlyWhile)) throw notAllowed();
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
      first: options.first ?? false,
      sourceSha,
      squash: squashes(squashOption, options.squash ?? squash),
      removeSourceBranch: options.removeSourceBranch ?? shouldRemoveSourceBranch ?? forceRemoveSourceBranch ?? false,
      mergeCommitMessage: options.mergeCommitMessage,
      squashCommitMessage: options.squashCommitMessage,
    },
    participants: [userId],
    facts: [autoMergeActed(now)],
  };
}

/** Moves a merge request that is on a train to its front; undefined for one that is not, or is being merged. */
export const decideMovingToFront = ({
  mergeRequest,
}: Pick<LockedMergeRequest, 'mergeRequest'>): MergeRequestChange | undefined =>
  mergeRequest.state === 'opened' &&
  mergeRequest.autoMergeStrategy === onMergeTrain &&
  mergeRequest.sourceSha !== undefined
    ? {
        quiet: true,
        addedCar: {
          first: true,
          sourceSha: mergeRequest.sourceSha,
          squash: mergeRequest.squash,
          removeSourceBranch: mergeRequest.shouldRemoveSourceBranch ?? false,
          mergeCommitMessage: mergeRequest.mergeCommitMessage,
          squashCommitMessage: mergeRequest.squashCommitMessage,
        },
      }
    : undefined;

/**
 * Takes auto-merge back, or the merge request off its train.
 * @throws AppError not_acceptable when there is nothing to take back
 */
export function decideCancel({ mergeRequest }: LockedMergeRequest): MergeRequestChange {
  if (mergeRequest.state !== 'opened' || mergeRequest.autoMergeStrategy === undefined) {
    throw new AppError('not_acceptable', "Can't cancel the automatic merge");
  }
  return { patch: noAutoMerge, removalReason: 'canceled', facts: [autoMergeActed(mergeRequest)] };
}

/** Ends auto-merge that cannot come true, while its strategy is as it was read. */
export const decideAbort = (
  { mergeRequest }: LockedMergeRequest,
  strategy: string,
  removalReason: RemovalReason,
  mergeError: string,
): MergeRequestChange | undefined =>
  mergeRequest.autoMergeStrategy === strategy ? { patch: { ...noAutoMerge, mergeError }, removalReason } : undefined;

/** Removes the car of an open merge request by a signal; undefined when it is not on a train. */
export const decideCarRemoval = (
  { mergeRequest }: Pick<LockedMergeRequest, 'mergeRequest'>,
  signal: CarSignal,
): MergeRequestChange | undefined =>
  mergeRequest.state === 'opened' && mergeRequest.autoMergeStrategy === onMergeTrain
    ? { patch: noAutoMerge, signal }
    : undefined;
