import type { Viewer } from '@switchyard/directory';
import type { CallContext } from '@switchyard/rpc';
import type { Caller } from '../../merge-requests/application/merge-request.edges';

/** Who asks, with their level in the project the gateway resolved. */
export const callerOf = ({ actor, access, requestId }: CallContext): Caller => ({
  userId: actor.userId,
  username: actor.username,
  admin: actor.admin,
  external: actor.external,
  level: access?.level ?? 0,
  tier: access?.tier ?? '',
  requestId,
});

/** Who looks, for what may be seen. */
export const viewerOf = ({ actor }: CallContext): Viewer => ({
  userId: actor.userId,
  admin: actor.admin,
  external: actor.external,
});
