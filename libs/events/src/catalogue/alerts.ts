import { AlertEvent } from '@switchyard/protos/alerts/events/v1/alert_event';
import { defineEvent } from '../event';

/** What happened to alerts, in order per alert (see the proto for the facts and the ids of events). */
export const alertEvents = defineEvent({
  stream: 'alerts.alert',
  version: 1,
  type: 'alert.changed',
  message: AlertEvent,
  key: (event) => String(event.alert?.id ?? 0),
});

/** Names of the facts of `alertEvents`. */
export type AlertFact = NonNullable<AlertEvent['fact']>['$case'];

/**
 * Id of an event of `alertEvents`: the same happening always gives the same id.
 * @param cause what made it happen, by the table in the proto
 */
export const alertEventId = (fact: AlertFact, alertId: number, cause: string | number = 1): string =>
  `alert.${fact}:${alertId}:${cause}`;
