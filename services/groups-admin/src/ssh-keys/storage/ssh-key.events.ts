import type { Tx } from '@switchyard/database';
import { appendToOutbox, sshKeyEvents } from '@switchyard/events';

/** Publishes that a key of a user was added or removed. */
export const publishKey = (
  tx: Tx,
  what: 'added' | 'removed',
  given: { readonly keyId: number; readonly userId: number; readonly actorId: number; readonly key: string },
): Promise<void> =>
  appendToOutbox(
    tx,
    sshKeyEvents,
    { ...given, occurredAt: new Date(), fact: { $case: what, value: {} } },
    { id: `ssh_key_${what}:${given.keyId}` },
  );
