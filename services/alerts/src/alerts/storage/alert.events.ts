import type { SqlExecutor } from '@switchyard/database';
import { alertEventId, alertEvents, appendAllToOutbox } from '@switchyard/events';
import { type AlertEvent, AlertStatusChanged_Cause } from '@switchyard/protos/alerts/events/v1/alert_event';
import type { AlertDetails, AlertEventInput, AlertFact } from '../domain/alert-event';

const causes = {
  payload: AlertStatusChanged_Cause.CAUSE_PAYLOAD,
  user: AlertStatusChanged_Cause.CAUSE_USER,
  incident: AlertStatusChanged_Cause.CAUSE_INCIDENT,
} as const;

/**
 * Most bytes of the texts of an event that have no limit of their own. A broker refuses a message over 1 MiB, and a
 * refused message blocks every event behind it. Attributes, the longest of the other parts, take at most 753,000 bytes.
 */
const maxBytes = { incidentMarkdown: 200_000, query: 10_000, runbook: 10_000, environment: 10_000 } as const;

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** The longest beginning of a text that takes at most `bytes` (2 or more) in JSON. */
function beginning(text: string, bytes: number): string {
  // A UTF-16 unit takes at most six bytes, the quotes two: most texts need no measuring.
  if (text.length * 6 + 2 <= bytes) return text;
  let cut = text;
  for (let size = jsonBytes(cut); size > bytes; size = jsonBytes(cut))
    cut = cut.slice(0, Math.floor((cut.length * bytes) / size));
  return cut.length === text.length ? text : cut.replace(/[\uD800-\uDBFF]$/, '');
}

function wireDetails(details: AlertDetails) {
  const cut: string[] = [];
  const fitting = (field: keyof typeof maxBytes, name: string): string => {
    const whole = details[field] ?? '';
    const text = beginning(whole, maxBytes[field]);
    if (text !== whole) cut.push(name);
    return text;
  };
  return {
    startedAt: details.startedAt,
    description: details.description ?? '',
    service: details.service ?? '',
    monitoringTool: details.monitoringTool ?? '',
    hosts: [...details.hosts],
    environment: fitting('environment', 'environment'),
    incidentMarkdown: fitting('incidentMarkdown', 'incident_markdown'),
    query: fitting('query', 'query'),
    runbook: fitting('runbook', 'runbook'),
    attributes: details.attributes.map(({ name, value }) => ({ name, value })),
    cut,
  };
}

function wireFact(fact: AlertFact): NonNullable<AlertEvent['fact']> {
  switch (fact.kind) {
    case 'raised': {
      const { openIncident, sendEmail, details } = fact;
      return { $case: 'raised', value: { openIncident, sendEmail, details: wireDetails(details) } };
    }
    case 'statusChanged': {
      const { previous, cause, closeIncident } = fact;
      return { $case: 'statusChanged', value: { previous, cause: causes[cause], closeIncident } };
    }
    case 'assigned': {
      const { addedAssigneeIds, removedAssigneeIds } = fact;
      return {
        $case: 'assigned',
        value: { addedAssigneeIds: [...addedAssigneeIds], removedAssigneeIds: [...removedAssigneeIds] },
      };
    }
    case 'incidentWanted':
      return { $case: 'incidentWanted', value: { details: wireDetails(fact.details) } };
  }
}

/**
 * Appends events of alerts to the outbox, in this order. The rows of the alerts are written before in the same
 * transaction, so that the events of one alert keep their order.
 * @param directorySequence how far this service has followed the directory
 */
export const appendAlertEvents = (
  executor: SqlExecutor,
  inputs: readonly AlertEventInput[],
  directorySequence: number,
): Promise<void> =>
  appendAllToOutbox(
    executor,
    alertEvents,
    inputs.map(({ alert, actorId, occurredAt, fact }) => ({
      id: alertEventId(fact.kind, alert.id, fact.kind === 'raised' ? 1 : alert.version),
      payload: {
        alert: {
          id: alert.id,
          iid: alert.iid,
          projectId: alert.projectId,
          title: alert.title,
          severity: alert.severity,
          status: alert.status,
          version: alert.version,
          incidentIid: alert.issueIid ?? 0,
        },
        actorId,
        occurredAt,
        directorySequence,
        fact: wireFact(fact),
      },
    })),
  );
