import { randomUUID } from 'node:crypto';
import { type Database, openDatabase, type SqlExecutor } from '@switchyard/database';
import type { EventDefinition } from './event';
import { appendAllToOutbox } from './outbox';

/** The next things after an id, ascending, at most `limit`; their payloads name no fact. */
type ReadStates<Payload> = (
  tx: SqlExecutor,
  after: number,
  limit: number,
) => Promise<readonly { id: number; payload: Payload }[]>;

/** Things told of in one transaction. */
const batch = 1_000;

/**
 * Publishes how everything of a kind stands now, as events without a fact: for readers who missed what the bus no longer holds. Readers
 * compare versions, so nothing is locked: what changes meanwhile is told of by its own event, and an older version changes nothing.
 * @returns how many were told of
 */
export async function tellStates<Payload>({
  db,
  event,
  read,
}: {
  db: Database;
  event: EventDefinition<Payload>;
  read: ReadStates<Payload>;
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

/** The command of a service that tells the states of all its `things`, and says how many, or why not. Reads `DATABASE_URL`. */
export async function runTellCommand<Payload>({
  service,
  things,
  event,
  read,
}: {
  service: string;
  things: string;
  event: EventDefinition<Payload>;
  read: ReadStates<Payload>;
}): Promise<void> {
  try {
    const url = process.env.DATABASE_URL;
    if (url === undefined) throw new Error(`usage: node services/${service}/dist/tell-command.js   (DATABASE_URL)`);
    const db = openDatabase({ url, applicationName: `${service} tell`, poolSize: 2 });
    try {
      process.stdout.write(`${await tellStates({ db, event, read })} ${things} told of\n`);
    } finally {
      await db.close();
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
