import { ReleaseEvent } from '@switchyard/protos/merge_requests/events/v1/release_event';
import { defineEvent } from '../event';
import { factEventId } from './fact-event';

/** Changes of releases, in order per release. */
export const releaseEvents = defineEvent({
  stream: 'merge-requests.release',
  version: 1,
  type: 'release.changed',
  message: ReleaseEvent,
  key: (event) => String(event.release?.id ?? 0),
});

/** Id of an event of `releaseEvents`. */
export const releaseEventId = factEventId<ReleaseEvent>('release');
