import type { CallContext } from '@switchyard/rpc';

/** The user who makes a request, and their access in the project that it is about. */
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

/** The same user with their level in another project, 0 to 50. */
export const inProject = (caller: Caller, level: number): Caller => ({ ...caller, level });

/** The caller of a request, with their level in the project that the gateway resolved. */
export const callerOf = ({ actor, access, requestId }: CallContext): Caller => ({
  userId: actor.userId,
  username: actor.username,
  admin: actor.admin,
  external: actor.external,
  level: access?.level ?? 0,
  tier: access?.tier ?? '',
  requestId,
});
