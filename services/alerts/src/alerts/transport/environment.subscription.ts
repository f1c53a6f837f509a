import type { Tx } from '@switchyard/database';
import { type AnySubscription, environmentEvents, subscription } from '@switchyard/events';
import type { Environment } from '../domain/environment';

/** Follows the environments of projects, each event once (D6). */
export const environmentSubscription = (
  keep: (tx: Tx, environment: Environment) => Promise<void>,
  forget: (tx: Tx, id: number) => Promise<void>,
): AnySubscription =>
  subscription({
    event: environmentEvents,
    async handle({ environmentId: id, projectId, name, occurredAt, fact }, tx) {
      if (fact?.$case === 'created') await keep(tx, { id, projectId, name, createdAt: occurredAt ?? new Date() });
      if (fact?.$case === 'deleted') await forget(tx, id);
    },
  });
