import { accessRequestEvents, appendAllToOutbox } from '@switchyard/events';
import {
  type AccessRequestEvent,
  AccessRequestLapsed_Reason as LapseReason,
} from '@switchyard/protos/groups_admin/events/v1/access_request_event';
import type { DirectoryTx } from '../../directory';
import type { AccessRequest, AccessRequestEnd } from '../domain/access-request';

type Fact = NonNullable<AccessRequestEvent['fact']>;

const reasons = {
  became_member: LapseReason.REASON_BECAME_MEMBER,
  user_deleted: LapseReason.REASON_USER_DELETED,
  parent_deleted: LapseReason.REASON_PARENT_DELETED,
};

function factOf(end: AccessRequestEnd): Fact {
  switch (end.kind) {
    case 'approved':
      return { $case: 'approved', value: { accessLevel: end.level } };
    case 'lapsed':
      return { $case: 'lapsed', value: { reason: reasons[end.reason] } };
    default:
      return { $case: end.kind, value: {} };
  }
}

function publish(
  tx: DirectoryTx,
  changes: readonly { readonly request: AccessRequest; readonly id: string; readonly fact: Fact }[],
  actorId: number,
): void {
  if (changes.length === 0) return;
  const occurredAt = new Date();
  tx.withSequence((directorySequence) =>
    appendAllToOutbox(
      tx,
      accessRequestEvents,
      changes.map(({ request, id, fact }) => ({
        id,
        payload: {
          requestId: request.id,
          userId: request.userId,
          groupId: request.source.kind === 'group' ? request.source.id : 0,
          projectId: request.source.kind === 'project' ? request.source.id : 0,
          actorId,
          occurredAt,
          directorySequence,
          fact,
        },
      })),
    ),
  );
}

/** Publishes that a user requested access, with the sequence of the transaction. */
export const publishRequested = (tx: DirectoryTx, request: AccessRequest): void =>
  publish(
    tx,
    [{ request, id: `access_requested:${request.id}`, fact: { $case: 'requested', value: {} } }],
    request.userId,
  );

/** Publishes that requests ended, with the sequence of the transaction. */
export const publishEnded = (
  tx: DirectoryTx,
  ended: readonly { readonly request: AccessRequest; readonly end: AccessRequestEnd }[],
  actorId: number,
): void =>
  publish(
    tx,
    ended.map(({ request, end }) => ({ request, id: `access_request_ended:${request.id}`, fact: factOf(end) })),
    actorId,
  );
