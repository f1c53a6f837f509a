import { addToMergeTrain, onMergeTrain } from './auto-merge';
import type { MergeRequest } from './merge-request';

/** A request to put a merge request on its train. */
export interface BoardingRequest {
  readonly userId: number;
  /** Whether it squashes; undefined: as the merge request says. */
  readonly squash: boolean | undefined;
  /** Join once the checks pass. */
  readonly autoMerge: boolean;
}

/**
 * What became of the same request when it was made before: the merge request is on its train, or set to join it, by
 * this user for the head that it has now. Then it is answered as it was then; what another user did, or what was done
 * for another head or with other options, is a conflict (G-4.1-4).
 */
export function repeatedBoarding(
  mergeRequest: Pick<
    MergeRequest,
    'state' | 'autoMergeStrategy' | 'autoMergeUserId' | 'autoMergeSha' | 'sourceSha' | 'squash'
  >,
  { userId, squash, autoMerge }: BoardingRequest,
): 'added' | 'scheduled' | undefined {
  const { state, autoMergeStrategy, autoMergeUserId, autoMergeSha, sourceSha } = mergeRequest;
  if (state !== 'opened' && state !== 'locked') return undefined;
  const isSame =
    autoMergeUserId === userId &&
    sourceSha !== undefined &&
    autoMergeSha === sourceSha &&
    (squash === undefined || squash === mergeRequest.squash);
  if (!isSame) return undefined;
  if (autoMergeStrategy === onMergeTrain) return 'added';
  return autoMergeStrategy === addToMergeTrain && autoMerge ? 'scheduled' : undefined;
}
