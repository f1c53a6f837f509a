import type { SqlExecutor } from '@switchyard/database';
import { type AlertFact, alertEventId, alertEvents, appendAllToOutbox } from '@switchyard/events';
import { type AlertEvent, AlertStatusChanged_Cause } from '@switchyard/protos/alerts/events/v1/alert_event';
import type { AlertDetails, AlertHappening, AlertOccurrence } from '../domain/alert-event';

const causes = {
  payload: AlertStatusChanged_Cause.CAUSE_PAYLOAD,
  user: AlertStatusChanged_Cause.CAUSE_USER,
  incident: AlertStatusChanged_Cause.CAUSE_INCIDENT,
} as const;

/**
 * Bytes that texts without a length of their own may take in an event. A broker refuses a message over 1 MiB, and one that it refuses
 * holds up every event behind it; attributes, the longest of the others, take 753,000 at the most.
 */
const most = { incidentMarkdown: 200_000, query: 10_000, runbook: 10_000, environment: 10_000 } as const;

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** As much of a text from its beginning as takes at most `bytes` in JSON, two or more. */
function beginning(text: string, bytes: number): string {
  // One unit of a text takes six bytes at the most, and the quotes two: most texts need not be measured.
  if (text.length * 6 + 2 <= bytes) return text;
  let cut = text;
  for (let size = jsonBytes(cut); size > bytes; size = jsonBytes(cut))
    cut = cut.slice(0, Math.floor((cut.length * bytes) / size));
  return cut.length === text.length ? text : cut.replace(/[\uD800-\uDBFF]$/, '');
}

function wireDetails(details: AlertDetails) {
  const cut: string[] = [];
  const fitting = (field: keyof typeof most, name: string): string => {
    const whole = details[field] ?? '';
    const text = beginning(whole, most[field]);
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

function wireFact(happening: AlertHappening): NonNullable<AlertEvent['fact']> {
  switch (happening.kind) {
    case 'raised': {
      const { openIncident, sendEmail, details } = happening;
      return { $case: 'raised', value: { openIncident, sendEmail, details: wireDetails(details) } };
    }
    case 'statusChanged': {
      const { previous, cause, closeIncident } = happening;
      return { $case: 'statusChanged', value: { previous, cause: causes[cause], closeIncident } };
    }
    case 'assigned': {
      const { addedAssigneeIds, removedAssigneeIds } = happening;
      return {
        $case: 'assigned',
        value: { addedAssigneeIds: [...addedAssigneeIds], removedAssigneeIds: [...removedAssigneeIds] },
      };
    }
    case 'incidentWanted':
      return { $case: 'incidentWanted', value: { details: wireDetails(happening.details) } };
  }
}

/**
 * Appends what happened to alerts to the outbox, in this order. Their rows are written before it in the same transaction, so that the
 * events of one alert keep their order.
 * @param directorySequence how far this service has followed the directory
 */
export const appendAlertEvents = (
  executor: SqlExecutor,
  occurrences: readonly AlertOccurrence[],
  directorySequence: number,
): Promise<void> =>
  appendAllToOutbox(
    executor,
    alertEvents,
    occurrences.map(({ alert, actorId, occurredAt, happening }) => {
      const fact: AlertFact = happening.kind;
      return {
        id: alertEventId(fact, alert.id, fact === 'raised' ? 1 : alert.version),
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
          fact: wireFact(happening),
        },
      };
    }),
  );
