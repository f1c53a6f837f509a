import type { CallContext } from './server';

/** The user who reads, as rules about visibility ask for them; user id 0 without a token. */
export const viewerOf = ({
  actor: { userId, admin, external },
}: Pick<CallContext, 'actor'>): { userId: number; admin: boolean; external: boolean } => ({ userId, admin, external });
