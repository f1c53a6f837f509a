import { AlertEvent } from '@switchyard/protos/alerts/events/v1/alert_event';
import { defineEvent } from '../event';
import { factEventId } from './fact-event';

/** Changes of alerts, in order per alert (see the proto for the facts and the ids of events). */
export const alertEvents = defineEvent({
  stream: 'alerts.alert',
  version: 1,
  type: 'alert.changed',
  message: AlertEvent,
  key: (event) => String(event.alert?.id ?? 0),
});

/** Id of an event of `alertEvents`. */
export const alertEventId = factEventId<AlertEvent>('alert');
