import type { Tx } from '@switchyard/database';
import { appendToOutbox, userCreatedId, userEvents, userRenamedId } from '@switchyard/events';

/** Publishes that a user was made. */
export const publishUserCreated = (
  tx: Tx,
  { userId, actorId }: { readonly userId: number; readonly actorId: number },
): Promise<void> =>
  appendToOutbox(
    tx,
    userEvents,
    { userId, actorId, occurredAt: new Date(), fact: { $case: 'created', value: {} } },
    { id: userCreatedId(userId) },
  );

/** Publishes that a user has another username. */
export const publishUserRenamed = (
  tx: Tx,
  { userId, actorId, oldUsername }: { readonly userId: number; readonly actorId: number; readonly oldUsername: string },
): Promise<void> => {
  const occurredAt = new Date();
  return appendToOutbox(
    tx,
    userEvents,
    { userId, actorId, occurredAt, fact: { $case: 'renamed', value: { oldUsername } } },
    { id: userRenamedId(userId, occurredAt) },
  );
};
