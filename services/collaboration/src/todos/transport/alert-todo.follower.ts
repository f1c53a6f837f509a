import type { Tx } from '@switchyard/database';
import type { AlertEvent } from '@switchyard/protos/alerts/events/v1/alert_event';
import type { followTargets } from '../application/follow-targets';
import type { TargetFact } from '../domain/target-consequences';

function alertFact(fact: NonNullable<AlertEvent['fact']>): TargetFact {
  switch (fact.$case) {
    case 'assigned':
      return {
        kind: 'updated',
        addedAssigneeIds: fact.value.addedAssigneeIds,
        addedReviewerIds: [],
        mentions: { usernames: [], directlyAddressed: [] },
      };
    case 'statusChanged':
    case 'incidentWanted':
      return { kind: 'acted' };
    case 'raised':
      return { kind: 'noted' };
  }
}

/** What follows for to-dos from an event of an alert, in the transaction that handles it. */
export type AlertTodoFollower = (tx: Tx, event: AlertEvent, time: Date) => Promise<void>;

/** An alert raises to-dos for its new assignees, and resolves those of a user who acts on it. */
export const alertTodoFollower =
  (follow: ReturnType<typeof followTargets>): AlertTodoFollower =>
  async (tx, { alert, actorId, fact, occurredAt }, time) => {
    if (alert === undefined || fact === undefined) return;
    const { id, iid, projectId } = alert;
    const target = { type: 'AlertManagement::Alert', id, iid, projectId } as const;
    // No user wrote it: a payload did.
    await follow(tx, { target, authorId: 0, actorId, imported: false, fact: alertFact(fact) }, occurredAt ?? time);
  };
