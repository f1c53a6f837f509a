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

/** What follows for to-dos from an event of an alert, in the transaction that takes note of it. */
export type AlertTodoFollower = (tx: Tx, event: AlertEvent, time: Date) => Promise<void>;

/** Whoever is assigned to an alert is asked to look at it; whoever acts on it is done with what they were asked there. */
export const alertTodoFollower =
  (follow: ReturnType<typeof followTargets>): AlertTodoFollower =>
  async (tx, { alert, actorId, fact, occurredAt }, time) => {
    if (alert === undefined || fact === undefined) return;
    const { id, iid, projectId } = alert;
    const target = { type: 'AlertManagement::Alert', id, iid, projectId } as const;
    // Nobody wrote it: a payload did.
    await follow(tx, { target, authorId: 0, actorId, imported: false, fact: alertFact(fact) }, occurredAt ?? time);
  };
