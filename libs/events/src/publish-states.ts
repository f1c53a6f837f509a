import { randomUUID } from 'node:crypto';
import type { Database, SqlExecutor } from '@switchyard/database';
import type { EventDefinition } from './event';
import { appendAllToOutbox } from './outbox';

/** The next rows after an id, ascending, at most `limit`; their payloads have no fact. */
type ReadStates<Payload> = (
  tx: SqlExecutor,
  after: number,
  limit: number,
) => Promise<readonly { id: number; payload: Payload }[]>;

/** Rows published in one transaction. */
const batch = 1_000;

/**
 * Publishes the current states of all rows of a kind, as events without a fact: for readers that missed events which
 * the bus no longer has. Readers compare versions, so nothing is locked: a concurrent change has its own event, and an
 * older version changes nothing.
 * @returns how many were published
 */
export async function publishStates<Payload>({
  db,
  event,
  read,
}: {
  db: Database;
  event: EventDefinition<Payload>;
  read: ReadStates<Payload>;
}): Promise<number> {
  // Each run has ids of its own: the effect of an earlier run may be what this one repairs.
  const run = randomUUID();
  let published = 0;
  let after: number | undefined = 0;
  while (after !== undefined) {
    const from: number = after;
    const rows = await db.transaction(async (tx) => {
      const found = await read(tx, from, batch);
      const events = found.map(({ id, payload }) => ({ id: `${event.type}:told:${id}:${run}`, payload }));
      await appendAllToOutbox(tx, event, events);
      return found;
    });
    published += rows.length;
    after = rows.at(-1)?.id;
  }
  return published;
}
