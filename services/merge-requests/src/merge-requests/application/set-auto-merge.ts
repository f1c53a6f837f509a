import { type AppError, conflict, notAllowed } from '@switchyard/errors';
import { type addToMergeTrain, type mergeWhenChecksPass, onMergeTrain } from '../domain/auto-merge';
import type { MergeRequest } from '../domain/merge-request';
import type { MergeRequestView } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';

/** How a merge request shall be merged once it is its turn; what is undefined is as the merge request says. */
export interface MergeWhenReady {
  readonly mergeCommitMessage?: string | undefined;
  readonly squashCommitMessage?: string | undefined;
  readonly squash?: boolean | undefined;
  readonly removeSourceBranch?: boolean | undefined;
}

/** Auto-merge as someone set it. */
export type AutoMergeMark = Pick<MergeRequest, 'autoMergeStrategy' | 'autoMergeUserId' | 'autoMergeSha'>;

/** Whether a mark of auto-merge stands as it was seen. */
export const stillWanted = (now: MergeRequest, seen: AutoMergeMark | undefined): boolean =>
  seen === undefined ||
  (now.autoMergeStrategy === seen.autoMergeStrategy &&
    now.autoMergeUserId === seen.autoMergeUserId &&
    now.autoMergeSha === seen.autoMergeSha);

/** Refuses to set auto-merge, or to add to the train, twice (G-4.1-4). */
export const alreadySet = (): AppError => conflict('Merge request is already set to Auto-Merge');

/** Marks a merge request to be merged, or to join its train, once its checks pass. @throws AppError not_allowed when it changed in the meantime */
export async function setAutoMerge(
  edges: Pick<MergeRequestEdges, 'mergeRequests'>,
  userId: number,
  view: MergeRequestView,
  options: MergeWhenReady,
  strategy: typeof mergeWhenChecksPass | typeof addToMergeTrain,
): Promise<void> {
  const { id, sourceSha } = view.mergeRequest;
  await edges.mergeRequests.change(id, userId, ({ mergeRequest }) => {
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
      facts: [{ kind: 'acted', act: 'auto_merge_changed', actId: `${id}-${mergeRequest.lockVersion + 1}` }],
      // Its pipeline may have ended after it was read and before this commit.
      jobs: [{ kind: 'auto_merge', mergeRequestId: id }],
    };
  });
}
