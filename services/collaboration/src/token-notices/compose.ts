import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { mailStore } from '../mail';
import { notifyOfTokens } from './application/notify-of-tokens';
import { tokenSubscription } from './transport/token.subscription';

/** Consumer group of tokens: separate from the others, so that none waits for another. */
const tokenGroup = 'collaboration.tokens';

/** Builds the notices about tokens that end soon. */
export function composeTokenNotices({ observe }: Pick<Edges, 'observe'>): Area {
  const { notify } = observe('collaboration', { notify: notifyOfTokens(mailStore) });
  return { consumers: [{ group: tokenGroup, subscriptions: [tokenSubscription(notify)] }] };
}
