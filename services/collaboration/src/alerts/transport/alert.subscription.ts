import { afterDirectory, type Directory } from '@switchyard/directory';
import { type AnySubscription, alertEvents, faultPoint, faultPoints, subscription } from '@switchyard/events';
import {
  type AlertEvent,
  AlertStatusChanged_Cause as Cause,
  type AlertDetails as WireDetails,
} from '@switchyard/protos/alerts/events/v1/alert_event';
import type { AlertTodoFollower } from '../../todos';
import type { AlertEventInput, followAlerts } from '../application/follow-alerts';
import type { Alert, AlertDetails, AlertFact } from '../domain/alert';

faultPoints.push('alert_event.written', 'alert_event.committed');

const detailsOf = (details: WireDetails | undefined): AlertDetails => ({
  startedAt: details?.startedAt,
  description: details?.description ?? '',
  service: details?.service ?? '',
  monitoringTool: details?.monitoringTool ?? '',
  hosts: details?.hosts ?? [],
  environment: details?.environment ?? '',
  incidentMarkdown: details?.incidentMarkdown ?? '',
  query: details?.query ?? '',
  runbook: details?.runbook ?? '',
  attributes: details?.attributes ?? [],
  cut: details?.cut ?? [],
});

const causes = new Map<Cause, 'payload' | 'incident'>([
  [Cause.CAUSE_PAYLOAD, 'payload'],
  [Cause.CAUSE_INCIDENT, 'incident'],
]);

function factOf(fact: NonNullable<AlertEvent['fact']>): AlertFact {
  switch (fact.$case) {
    case 'raised':
      return {
        kind: 'raised',
        openIncident: fact.value.openIncident,
        sendEmail: fact.value.sendEmail,
        details: detailsOf(fact.value.details),
      };
    case 'statusChanged':
      return {
        kind: 'statusChanged',
        cause: causes.get(fact.value.cause) ?? 'user',
        closeIncident: fact.value.closeIncident,
      };
    case 'assigned':
      return { kind: 'assigned', ...fact.value };
    case 'incidentWanted':
      return { kind: 'incidentWanted', details: detailsOf(fact.value.details) };
  }
}

const alertOf = ({ id, iid, projectId, title, severity, status, version }: Alert): Alert => ({
  id,
  iid,
  projectId,
  title,
  severity,
  status,
  version,
});

/**
 * What happens to alerts opens and closes incidents, writes system notes, raises to-dos and asks for mail: each event
 * once, all or nothing.
 */
export const alertSubscription = (
  follow: ReturnType<typeof followAlerts>,
  followTodos: AlertTodoFollower,
  directory: Pick<Directory, 'ensure'>,
): AnySubscription =>
  subscription({
    event: alertEvents,
    before: afterDirectory(directory),
    async handle(event, tx, { id, time }) {
      const { alert, actorId, fact } = event;
      if (alert === undefined || fact === undefined) return;
      const input: AlertEventInput = {
        alert: alertOf(alert),
        actorId,
        fact: factOf(fact),
        cause: { id, occurredAt: event.occurredAt ?? time },
      };
      await follow(tx, input);
      await followTodos(tx, event, time);
      faultPoint('alert_event.written');
      tx.afterCommit(() => faultPoint('alert_event.committed'));
    },
  });
