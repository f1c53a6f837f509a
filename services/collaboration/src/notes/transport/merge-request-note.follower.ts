import { faultPoint, faultPoints } from '@switchyard/events';
import {
  MergeRequestActed_Kind as Acted,
  MergeRequestAutoMergeChanged_Change as Change,
  type MergeRequestActed,
  type MergeRequestEvent,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import {
  abortWords,
  type MergeRequestFollower,
  overtakenUserIds,
  removalReason,
  trainRemovalOf,
  trainStateChangeOf,
} from '../../merge-requests';
import type {
  MergeRequestNoteInput,
  writeMergeRequestSystemNotes,
} from '../application/write-merge-request-system-notes';

faultPoints.push('system_note.written', 'system_note.committed');

function notedAct({ kind, push }: MergeRequestActed): MergeRequestNoteInput['fact'] | undefined {
  switch (kind) {
    case Acted.KIND_PUSHED:
      return { kind: 'pushed', push };
    case Acted.KIND_APPROVED:
      return { kind: 'reviewed', review: 'approved' };
    case Acted.KIND_UNAPPROVED:
      return { kind: 'reviewed', review: 'unapproved' };
    case Acted.KIND_CHANGES_REQUESTED:
      return { kind: 'reviewed', review: 'requested_changes' };
    default:
      return undefined;
  }
}

/** The fact of an event that gets system notes; undefined where there are none. */
function notedFact({ fact, mergeRequest, actorId }: MergeRequestEvent): MergeRequestNoteInput['fact'] | undefined {
  switch (fact?.$case) {
    case 'updated':
      return { kind: 'updated', title: mergeRequest?.title ?? '', ...fact.value };
    case 'deleted':
      return { kind: 'deleted' };
    case 'acted':
      return notedAct(fact.value);
    case 'mergeTrainEntryAdded':
      return { kind: 'train_added', addition: fact.value };
    case 'mergeTrainEntryRemoved':
      return { kind: 'train_removed', removal: trainRemovalOf(fact.value), addedById: fact.value.addedById };
    case 'mergeTrainEntryOvertaken':
      return {
        kind: 'train_overtaken',
        overtaking: fact.value,
        userIds: overtakenUserIds(actorId, mergeRequest?.authorId ?? 0, fact.value.addedById),
      };
    case 'mergeTrainStateChanged': {
      const change = trainStateChangeOf(fact.value);
      const addedById = fact.value.addedById || (mergeRequest?.authorId ?? 0);
      return change && { kind: 'train_state_changed', change, addedById };
    }
    case 'autoMergeChanged': {
      const { change, mergeTrain, setById, abortReason } = fact.value;
      const word = change === Change.CHANGE_SET ? 'set' : change === Change.CHANGE_CANCELED ? 'canceled' : 'aborted';
      // Events of earlier versions carry words instead of a value.
      const reason = abortReason === undefined ? fact.value.reason : abortWords(removalReason(abortReason));
      return { kind: 'auto_merge_changed', change: word, mergeTrain, setById, reason };
    }
    default:
      return undefined;
  }
}

/** System notes are written; the notes of a deleted merge request go. Imported history brings its own. */
export const systemNoteFollower =
  (write: ReturnType<typeof writeMergeRequestSystemNotes>): MergeRequestFollower =>
  async (tx, event, { id, time }) => {
    const { mergeRequest, actorId } = event;
    const fact = notedFact(event);
    if (mergeRequest !== undefined && fact !== undefined && (!event.imported || fact.kind === 'deleted')) {
      await write(tx, {
        mergeRequestId: mergeRequest.id,
        projectId: mergeRequest.projectId,
        actorId,
        fact,
        cause: { id, occurredAt: event.occurredAt ?? time },
      });
    }
    faultPoint('system_note.written');
    tx.afterCommit(() => faultPoint('system_note.committed'));
  };
