import { MergeRequestEvent } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { defineEvent } from '../event';
import { factEventId } from './fact-event';

/** Changes of merge requests, in order per merge request (see the proto for the facts and the ids of events). */
export const mergeRequestEvents = defineEvent({
  stream: 'merge-requests.merge-request',
  version: 1,
  type: 'merge_request.changed',
  message: MergeRequestEvent,
  key: (event) => String(event.mergeRequest?.id ?? 0),
});

/** Id of an event of `mergeRequestEvents`. */
export const mergeRequestEventId = factEventId<MergeRequestEvent>('merge_request');
