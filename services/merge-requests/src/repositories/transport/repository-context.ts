import type { CallContext } from '@switchyard/rpc';
import type { RepositoryActor } from '../application/manage-branches';
import type { RepositoryAddress } from '../presenters/commit.presenter';

/** Who acts on the repository that the gateway resolved. */
export const actorOf = ({ actor, access }: CallContext): RepositoryActor => ({
  userId: actor.userId,
  access: { level: access?.level ?? 0, admin: actor.admin },
});

/** Where the repository that the gateway resolved is seen from outside. */
export const addressOf = ({ access }: CallContext, externalUrl: string): RepositoryAddress => ({
  externalUrl,
  fullPath: access?.fullPath ?? '',
});
