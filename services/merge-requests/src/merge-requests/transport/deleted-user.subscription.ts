import type { Tx } from '@switchyard/database';
import { type AnySubscription, subscription, userEvents } from '@switchyard/events';

/** Queues the work of deleting what a user wrote who was deleted with it, each event once (D6). */
export const deletedUserSubscription = (queue: (tx: Tx, userId: number) => Promise<void>): AnySubscription =>
  subscription({
    event: userEvents,
    async handle({ userId, fact }, tx) {
      if (fact?.$case === 'deleted' && fact.value.hard) await queue(tx, userId);
    },
  });
