import { unauthorized } from '@switchyard/errors';
import type { CallContext } from './server';

/** The viewer, for rules about visibility; user id 0 without a token. */
export const viewerOf = ({
  actor: { userId, admin, external },
}: Pick<CallContext, 'actor'>): { userId: number; admin: boolean; external: boolean } => ({ userId, admin, external });

/**
 * Requires a signed-in caller; returns the call, so that a handler can wrap it.
 * @throws AppError unauthorized for an anonymous caller
 */
export function signedIn(context: CallContext): CallContext {
  if (context.actor.userId === 0) throw unauthorized();
  return context;
}
