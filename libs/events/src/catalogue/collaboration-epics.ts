import { EpicEvent } from '@switchyard/protos/collaboration/events/v1/epic_event';
import { defineEvent } from '../event';
import { factEventId } from './fact-event';

/** Changes of epics, in order per epic (see the proto for the facts and the ids of events). */
export const epicEvents = defineEvent({
  stream: 'collaboration.epic',
  version: 1,
  type: 'epic.changed',
  message: EpicEvent,
  key: (event) => String(event.epic?.id ?? 0),
});

/** Id of an event of `epicEvents`. */
export const epicEventId = factEventId<EpicEvent>('epic');
