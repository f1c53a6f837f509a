import type { Tx } from '@switchyard/database';
import { type AnySubscription, faultPoint, faultPoints, subscription, userEvents } from '@switchyard/events';

faultPoints.push('deleted_user.queued');

/** Queues users who were deleted with what they wrote, each event once (D6). */
export const deletedUserSubscription = (queue: (tx: Tx, userId: number) => Promise<void>): AnySubscription =>
  subscription({
    event: userEvents,
    async handle({ userId, fact }, tx) {
      if (fact?.$case !== 'deleted' || !fact.value.hard) return;
      await queue(tx, userId);
      tx.afterCommit(() => faultPoint('deleted_user.queued'));
    },
  });
