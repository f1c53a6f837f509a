import { type AnySubscription, subscription, userEvents } from '@switchyard/events';
import type { notifyOfTokens } from '../application/notify-of-tokens';

/** Tokens that end soon, each once (D6). */
export const tokenSubscription = (notify: ReturnType<typeof notifyOfTokens>): AnySubscription =>
  subscription({
    event: userEvents,
    async handle({ userId, fact }, tx) {
      if (fact?.$case === 'tokenExpiring') {
        const { tokenId: id, ...token } = fact.value;
        await notify(tx, userId, { kind: 'access', id, ...token });
      }
      if (fact?.$case === 'deployTokenExpiring') {
        const { tokenId: id, expiresAt, ...token } = fact.value;
        if (expiresAt !== undefined) await notify(tx, userId, { kind: 'deploy', id, expiresAt, ...token });
      }
    },
  });
