import type { Viewer } from '@switchyard/directory';
import type { CallContext } from '@switchyard/rpc';

/** Who asks, and what they are in the project the request is about. */
export interface Caller {
  /** 0: anonymous. */
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  readonly external: boolean;
  /** Access level in the project, 0 to 50. */
  readonly level: number;
  /** Licence tier that applies. */
  readonly tier: string;
  /** Id of the public request, for calls to other services. */
  readonly requestId: string;
}

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
