import type { Tx } from '@switchyard/database';
import { type AnySubscription, subscription, userEvents } from '@switchyard/events';

/** Queues the mails that let addresses be confirmed, each event once (D6). */
export const emailConfirmationSubscription = (
  queue: (tx: Tx, asked: { emailId: number; userId: number }) => Promise<void>,
): AnySubscription =>
  subscription({
    event: userEvents,
    async handle({ userId, fact }, tx) {
      if (fact?.$case === 'emailConfirmationRequested') await queue(tx, { emailId: fact.value.emailId, userId });
    },
  });
