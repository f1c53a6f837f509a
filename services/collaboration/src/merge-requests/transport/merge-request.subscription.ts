import type { Tx } from '@switchyard/database';
import { afterDirectory, type Directory } from '@switchyard/directory';
import { type AnySubscription, type EventMeta, mergeRequestEvents, subscription } from '@switchyard/events';
import type { MergeRequestEvent } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';

/** What follows from each event of merge requests, in the transaction that handles the event. */
export type MergeRequestFollower = (tx: Tx, event: MergeRequestEvent, meta: EventMeta) => Promise<void>;

/**
 * What happens to merge requests, each event once (D6): all followers commit together with the note that it was
 * received.
 */
export const mergeRequestSubscription = (
  followers: readonly MergeRequestFollower[],
  directory: Pick<Directory, 'ensure'>,
): AnySubscription =>
  subscription({
    event: mergeRequestEvents,
    before: afterDirectory(directory),
    async handle(event, tx, meta) {
      for (const follower of followers) await follower(tx, event, meta);
    },
  });
