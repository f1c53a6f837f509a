import { faultPoint, faultPoints } from '@switchyard/events';
import {
  MergeRequestActed_Kind as Acted,
  MergeRequestAutoMergeChanged_Change as AutoMergeChange,
  type MergeRequestEvent,
  type MergeRequestMentions,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { type MergeRequestFollower, trainRemovalOf, trainStateChangeOf } from '../../merge-requests';
import type { followTargets } from '../application/follow-targets';
import type { TargetEvent, TargetFact } from '../domain/target-consequences';

faultPoints.push('todo.written', 'todo.committed');

const mentionsOf = (mentions: MergeRequestMentions | undefined) => ({
  usernames: mentions?.usernames ?? [],
  directlyAddressed: mentions?.directlyAddressedUsernames ?? [],
});

const submitted: ReadonlySet<Acted> = new Set([Acted.KIND_REVIEWED, Acted.KIND_CHANGES_REQUESTED]);

function factOf(fact: NonNullable<MergeRequestEvent['fact']>, eventId: string): TargetFact {
  switch (fact.$case) {
    case 'created':
      return {
        kind: 'created',
        assigneeIds: fact.value.assigneeIds,
        reviewerIds: fact.value.reviewerIds,
        mentions: mentionsOf(fact.value.mentions),
      };
    case 'updated':
      return {
        kind: 'updated',
        addedAssigneeIds: fact.value.addedAssigneeIds,
        addedReviewerIds: fact.value.addedReviewerIds,
        mentions: mentionsOf(fact.value.mentions),
      };
    case 'closed':
    case 'reopened':
    case 'merged':
      return { kind: 'acted' };
    case 'acted':
      return { kind: submitted.has(fact.value.kind) ? 'reviewed' : 'acted' };
    case 'approvalRequested':
      return { kind: 'approval_requested', userIds: fact.value.userIds };
    case 'deleted':
      return { kind: 'deleted' };
    case 'becameUnmergeable':
      return { kind: 'became_unmergeable', mergeUserId: fact.value.mergeUserId };
    case 'pipelineFailed':
      return { kind: 'pipeline_failed', mergeUserId: fact.value.mergeUserId };
    case 'mergeTrainEntryAdded':
    case 'suggestionsApplied':
      return { kind: 'acted' };
    case 'mergeTrainEntryRemoved':
      return {
        kind: 'train_removed',
        entryId: fact.value.entryId,
        addedById: fact.value.addedById,
        removal: trainRemovalOf(fact.value),
      };
    case 'mergeTrainEntryOvertaken':
      return { kind: 'train_overtaken', eventId, addedById: fact.value.addedById, overtaking: fact.value };
    case 'mergeTrainStateChanged': {
      // A user who pauses a train has not acted on the merge requests in it.
      const change = trainStateChangeOf(fact.value);
      if (change === undefined) return { kind: 'noted' };
      return { kind: 'train_state_changed', eventId, change, firstCar: fact.value.firstCar };
    }
    case 'autoMergeChanged':
      // Taking back what was set may be how an entry left its train: the to-do of that removal must not be settled by
      // it.
      return { kind: fact.value.change === AutoMergeChange.CHANGE_SET ? 'acted' : 'noted' };
  }
}

/** The event as to-dos depend on it; undefined when this version does not know its fact. */
function toTargetEvent(event: MergeRequestEvent, eventId: string): TargetEvent | undefined {
  const { mergeRequest, fact } = event;
  if (mergeRequest === undefined || fact === undefined) return undefined;
  return {
    target: {
      type: 'MergeRequest',
      id: mergeRequest.id,
      iid: mergeRequest.iid,
      projectId: mergeRequest.projectId,
    },
    authorId: mergeRequest.authorId,
    actorId: event.actorId,
    imported: event.imported,
    fact: factOf(fact, eventId),
  };
}

/** To-dos are raised and resolved. */
export const mergeRequestTodoFollower =
  (follow: ReturnType<typeof followTargets>): MergeRequestFollower =>
  async (tx, event, { id, time }) => {
    const targetEvent = toTargetEvent(event, id);
    if (targetEvent !== undefined) await follow(tx, targetEvent, event.occurredAt ?? time);
    faultPoint('todo.written');
    tx.afterCommit(() => faultPoint('todo.committed'));
  };
