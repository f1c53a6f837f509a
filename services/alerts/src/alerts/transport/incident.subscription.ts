import { type AnySubscription, faultPoint, faultPoints, issueEvents, subscription } from '@switchyard/events';
import type { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import type { followIncidents, IncidentEvent } from '../application/follow-incidents';

faultPoints.push('incident_event.written', 'incident_event.committed');

function incidentEventOf({ fact, actorId, occurredAt }: IssueEvent): IncidentEvent | undefined {
  switch (fact?.$case) {
    case 'created':
      if (fact.value.alertId === 0) return undefined;
      return { kind: 'created', alertId: fact.value.alertId, movedFromId: fact.value.movedFromId };
    case 'moved': {
      const { toIssueId: id, toIssueIid: iid, toProjectId: projectId } = fact.value;
      return { kind: 'moved', to: { id, iid, projectId } };
    }
    case 'closed':
      return { kind: 'closed', actorId, at: occurredAt ?? new Date() };
    case 'deleted':
      return { kind: 'deleted' };
    default:
      return undefined;
  }
}

/** Applies events of incidents to their alerts, each event once (D6). */
export const incidentSubscription = (follow: ReturnType<typeof followIncidents>): AnySubscription =>
  subscription({
    event: issueEvents,
    concerns: (event) => incidentEventOf(event) !== undefined,
    async handle(event, tx) {
      const incidentEvent = incidentEventOf(event);
      if (event.issue === undefined || incidentEvent === undefined) return;
      const { id, iid, projectId } = event.issue;
      await follow(tx, { id, iid, projectId }, incidentEvent);
      faultPoint('incident_event.written');
      tx.afterCommit(() => faultPoint('incident_event.committed'));
    },
  });
