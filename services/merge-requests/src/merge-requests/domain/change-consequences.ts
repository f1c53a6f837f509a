import type { JobRequest } from '../../jobs';
import { isFinished, type PipelineChange } from '../../pipelines';
import { addToMergeTrain, onMergeTrain } from './auto-merge';
import { beingMerged, type MergeRequest, type MergeStatus } from './merge-request';
import type {
  LockedMergeRequest,
  MergeRequestChange,
  MergeRequestFact,
  MergeRequestPatch,
  NewMergeRequest,
} from './merge-request-change';
import type { NoteCounters } from './note-counters';

/** What is published and what work is queued in the transaction of a change. */
export interface Consequences {
  readonly facts: readonly MergeRequestFact[];
  readonly jobs: readonly JobRequest[];
}

/** What happens to auto-merge by a change; a car on a train has facts of its own. */
export function autoMergeFacts(
  before: Pick<MergeRequest, 'autoMergeStrategy' | 'autoMergeUserId'>,
  { autoMergeStrategy }: MergeRequestPatch,
  { removalReason, landed }: MergeRequestChange,
): MergeRequestFact[] {
  const previous = before.autoMergeStrategy;
  if (autoMergeStrategy === undefined || autoMergeStrategy === (previous ?? null)) return [];
  if (autoMergeStrategy !== null) {
    if (autoMergeStrategy === onMergeTrain) return [];
    const addsToTrain = autoMergeStrategy === addToMergeTrain;
    return [{ kind: 'auto_merge_changed', change: 'set', addsToTrain, setById: 0 }];
  }
  if (previous === onMergeTrain || landed !== undefined || removalReason === undefined) return [];
  return [
    {
      kind: 'auto_merge_changed',
      change: removalReason === 'canceled' ? 'canceled' : 'aborted',
      addsToTrain: previous === addToMergeTrain,
      setById: before.autoMergeUserId ?? 0,
      reason: removalReason,
    },
  ];
}

/** The fact that rules demand the approval of these users. */
export const approvalRequested = (userIds: readonly number[]): MergeRequestFact => ({
  kind: 'approval_requested',
  userIds,
});

/** A new merge request is published and checked; the author, assignees and reviewers take part. */
export const consequencesOfCreation = (
  created: NewMergeRequest,
): Consequences & { readonly participants: readonly number[] } => ({
  participants: [created.authorId, ...created.assigneeIds, ...created.reviewerIds],
  facts: [
    {
      kind: 'created',
      assigneeIds: created.assigneeIds,
      reviewerIds: created.reviewerIds,
      mentions: created.mentions,
      issueReferences: created.issueReferences,
    },
  ],
  jobs: [{ kind: 'mergeability', projectId: created.projectId }],
});

/**
 * Deletes a merge request and removes its car from the train.
 * @throws AppError conflict while it is being merged
 */
export function decideDeletion({ mergeRequest }: LockedMergeRequest): MergeRequestChange {
  if (mergeRequest.state === 'locked') throw beingMerged();
  return { removalReason: 'closed', facts: [{ kind: 'deleted' }] };
}

/** A merge request that can no longer be merged is published; one that waits for its checks is checked again. */
export function consequencesOfCheck(mergeRequest: MergeRequest, previous: MergeStatus): Consequences {
  const { id, mergeStatus, sourceSha = '', targetSha = '', autoMergeStrategy } = mergeRequest;
  const becameUnmergeable = mergeStatus === 'cannot_be_merged' && !previous.startsWith('cannot_be_merged');
  const waits = autoMergeStrategy !== undefined && autoMergeStrategy !== onMergeTrain;
  return {
    facts: becameUnmergeable ? [{ kind: 'became_unmergeable', sourceSha, targetSha }] : [],
    jobs: waits ? [{ kind: 'auto_merge', mergeRequestId: id }] : [],
  };
}

/** When the last thread of a merge request that waits for auto-merge is resolved, its checks run again. */
export const jobsAfterNotes = (
  { mergeRequestId, unresolvedDiscussions }: NoteCounters,
  waitsForAutoMerge: boolean,
): JobRequest[] => (waitsForAutoMerge && unresolvedDiscussions === 0 ? [{ kind: 'auto_merge', mergeRequestId }] : []);

/** A failed or retried head pipeline is published; a finished one has auto-merge checked again. */
export const consequencesOfHeadPipeline = (
  { id, autoMergeStrategy }: Pick<MergeRequest, 'id' | 'autoMergeStrategy'>,
  { pipelineId, status, failed, retriedAs }: PipelineChange,
): Consequences => ({
  facts: [
    ...(retriedAs === undefined ? [] : [{ kind: 'acted', act: 'pipeline_retried', actId: retriedAs } as const]),
    ...(failed ? [{ kind: 'pipeline_failed', pipelineId } as const] : []),
  ],
  jobs: autoMergeStrategy !== undefined && isFinished(status) ? [{ kind: 'auto_merge', mergeRequestId: id }] : [],
});
