import type { CallContext } from './server';

/** The viewer, for rules about visibility; user id 0 without a token. */
export const viewerOf = ({
  actor: { userId, admin, external },
}: Pick<CallContext, 'actor'>): { userId: number; admin: boolean; external: boolean } => ({ userId, admin, external });
