import { randomUUID } from 'node:crypto';
import type { Database, SqlExecutor } from '@switchyard/database';
import type { EventDefinition } from './event';
import { appendAllToOutbox } from './outbox';

/** Things told of in one transaction. */
const batch = 1_000;

/**
 * Publishes how everything of a kind stands now, as events without a fact: for readers who missed what the bus no longer holds. Readers
 * compare versions, so nothing is locked: what changes meanwhile is told of by its own event, and an older version changes nothing.
 * @param read the next things after an id, ascending; their payloads name no fact
 * @returns how many were told of
 */
export async function tellStates<Payload>({
  db,
  event,
  read,
}: {
  db: Database;
  event: EventDefinition<Payload>;
  read: (tx: SqlExecutor, after: number, limit: number) => Promise<readonly { id: number; payload: Payload }[]>;
}): Promise<number> {
  // Telling once more is another event: what came of the first may be what is mended.
  const run = randomUUID();
  let told = 0;
  let after: number | undefined = 0;
  while (after !== undefined) {
    const from: number = after;
    const rows = await db.transaction(async (tx) => {
      const found = await read(tx, from, batch);
      const events = found.map(({ id, payload }) => ({ id: `${event.type}:told:${id}:${run}`, payload }));
      await appendAllToOutbox(tx, event, events);
      return found;
    });
    told += rows.length;
    after = rows.at(-1)?.id;
  }
  return told;
}
