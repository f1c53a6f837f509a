import { MergeRequestEvent } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { defineEvent } from '../event';

/** What happened to merge requests, in order per merge request (see the proto for the facts and the ids of events). */
export const mergeRequestEvents = defineEvent({
  stream: 'merge-requests.merge-request',
  version: 1,
  type: 'merge_request.changed',
  message: MergeRequestEvent,
  key: (event) => String(event.mergeRequest?.id ?? 0),
});

/** Names of the facts of `mergeRequestEvents`. */
export type MergeRequestFact = NonNullable<MergeRequestEvent['fact']>['$case'];

/**
 * Id of an event of `mergeRequestEvents`: the same happening always gives the same id.
 * @param cause what made it happen, by the table in the proto
 */
export const mergeRequestEventId = (
  fact: MergeRequestFact,
  mergeRequestId: number,
  cause: string | number = 1,
): string => `merge_request.${fact}:${mergeRequestId}:${cause}`;
