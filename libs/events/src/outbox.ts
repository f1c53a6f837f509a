import { context, propagation } from '@opentelemetry/api';
import type { Database, SqlExecutor, Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { type EventDefinition, encodeBody } from './event';

/** Notices of it wake the relay that holds the lock. */
export const relayChannel = 'switchyard_outbox';

const relays = new Set<() => void>();

/** Registers what wakes the relay of a database, in this process or in another one; returns what removes it. */
export function onNudge(wake: () => void): () => void {
  relays.add(wake);
  return () => relays.delete(wake);
}

/**
 * Wakes the relay, so that what has just been committed is published at once and not seconds later.
 * A `Tx` does so by itself; call it after a Prisma transaction that appended events.
 */
export function nudgeRelay(): void {
  for (const wake of relays) wake();
}

/** Milliseconds for which history waits for more of it: to publish and to receive one event costs as much as a hundred. */
const historyMs = 500;

let willNudge = false;

function nudgeLater(): void {
  if (willNudge) return;
  willNudge = true;
  setTimeout(() => {
    willNudge = false;
    nudgeRelay();
  }, historyMs).unref();
}

const hasAfterCommit = (executor: SqlExecutor): executor is Tx => 'afterCommit' in executor;

/**
 * Appends an event to the outbox in the caller's transaction; the relay publishes it after the commit.
 *
 * `id` derives from the change (type, aggregate, its version): the same id again is the same event and is ignored.
 * Events of one key keep their order when the transactions that append them lock the aggregate **before** they append.
 */
export async function appendToOutbox<Payload>(
  executor: SqlExecutor,
  event: EventDefinition<Payload>,
  payload: Payload,
  { id }: { id: string },
): Promise<void> {
  await appendAllToOutbox(executor, event, [{ payload, id }]);
}

/**
 * `appendToOutbox` for several events of one kind in one statement.
 * @param history nobody waits for them: those of half a second are published together
 */
export async function appendAllToOutbox<Payload>(
  executor: SqlExecutor,
  event: EventDefinition<Payload>,
  events: { payload: Payload; id: string }[],
  { history = false }: { readonly history?: boolean } = {},
): Promise<void> {
  if (events.length === 0) return;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  const ids = events.map(({ id }) => id);
  const keys = events.map(({ payload }) => event.key(payload));
  // JSON already: an array of texts would escape every quote again.
  const bodies = `[${events.map(({ payload }) => encodeBody(event, payload)).join()}]`;
  // Named, thus prepared: it is part of nearly every write, and planning takes longer than execution.
  await executor.query(
    named(
      'outbox_append',
      sql`insert into events.outbox (event_id, topic, type, version, key, body, traceparent)
    select event_id, ${event.topic}::text, ${event.type}::text, ${event.version}::int, key, body, ${carrier.traceparent ?? null}::text
    from rows from (unnest(${ids}::text[], ${keys}::text[]), json_array_elements(${bodies}::json))
      with ordinality as given (event_id, key, body, position)
    order by position
    on conflict (event_id) do nothing`,
    ),
  );
  if (!hasAfterCommit(executor)) return;
  executor.afterCommit(history ? nudgeLater : nudgeRelay);
  // A sub-command has no relay, nor has a process that is still starting: that of another process is woken.
  if (relays.size === 0) executor.notify(relayChannel);
}

/** Events committed and not yet published. */
export async function outboxBacklog(db: Database): Promise<number> {
  const row = await db.one<{ count: number }>(
    sql`select count(*) as count from events.outbox where published_at is null`,
  );
  return row?.count ?? 0;
}
