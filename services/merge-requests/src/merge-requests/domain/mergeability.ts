import type { MergeRequest } from './merge-request';
import type { MergeRequestPatch } from './merge-request-change';

/** Mergeability as it is after a push to either side (G-3-1). */
export const unchecked = (mergeRequest: MergeRequest): MergeRequestPatch => ({
  mergeStatus: mergeRequest.mergeStatus.startsWith('cannot_be_merged') ? 'cannot_be_merged_recheck' : 'unchecked',
  mergeStatusGeneration: mergeRequest.mergeStatusGeneration + 1,
});
