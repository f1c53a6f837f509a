import { propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Database } from '@switchyard/database';
import { logger } from '@switchyard/telemetry';
import type { PoolClient } from 'pg';
import { backoff, WakeablePause } from './backoff';
import type { BusRecord, EventBus } from './bus';
import { faultPoint } from './fault-point';
import { countPublished, measureRelay } from './metrics';
import { onNudge, relayChannel } from './outbox';

export interface RelayOptions {
  db: Database;
  bus: EventBus;
  /** Milliseconds between two polls of the outbox without a wake-up (`nudgeRelay`); default 5,000. */
  pollInterval?: number;
  /** Rows claimed at a time; default 500. */
  batchSize?: number;
  /** Milliseconds a published row is kept; default 7 days. */
  retention?: number;
}

export interface Relay {
  /** True while this process, and not another replica, publishes. */
  readonly active: boolean;
  /** Stops after the running batch. */
  close(): Promise<void>;
}

/** Advisory lock of the one relay of a service's database. */
const relayLock = 72707371;
const standbyInterval = 1_000;
const pruneInterval = 3_600_000;
const pruneBatch = 5_000;

interface OutboxRow {
  id: number;
  event_id: string;
  topic: string;
  type: string;
  version: number;
  key: string;
  body: string;
  traceparent: string | null;
  created_at: Date;
}

const toRecord = (row: OutboxRow): BusRecord => ({
  topic: row.topic,
  key: row.key,
  body: row.body,
  headers: {
    id: row.event_id,
    type: row.type,
    version: String(row.version),
    time: row.created_at.toISOString(),
    ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
  },
});

const tracer = trace.getTracer('@switchyard/events');

/**
 * A span for the way of an event from the outbox to the bus, in the trace of its request; its record names that span as the
 * cause of what consumers do. Undefined without a trace.
 */
function publishing(row: OutboxRow, record: BusRecord): Span | undefined {
  if (row.traceparent === null) return undefined;
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent: row.traceparent });
  const options = { kind: SpanKind.PRODUCER, attributes: { 'messaging.destination.name': row.topic } };
  const span = tracer.startSpan(`publish ${row.type}`, options, parent);
  propagation.inject(trace.setSpan(parent, span), record.headers);
  return span;
}

/** Runs `publish` as the end of the spans. */
async function endingSpans(spans: readonly (Span | undefined)[], publish: () => Promise<void>): Promise<void> {
  let status: { code: SpanStatusCode } | undefined;
  try {
    await publish();
  } catch (error) {
    status = { code: SpanStatusCode.ERROR };
    throw error;
  } finally {
    for (const span of spans) {
      if (status !== undefined) span?.setStatus(status);
      span?.end();
    }
  }
}

/**
 * Starts publishing the outbox of `db` to `bus`, in the order of its ids. Of all replicas one publishes at a time. It
 * reads what is unpublished rather than what lies past the last id: ids are handed out before commit order, and an
 * event that commits late would be lost. It never blocks a writer; while the bus cannot be reached it backs off up to 5
 * s.
 */
export function startRelay({
  db,
  bus,
  pollInterval = 5_000,
  batchSize = 500,
  retention = 7 * 86_400_000,
}: RelayOptions): Relay {
  const pause = new WakeablePause();
  let closing = false;
  let active = false;
  // Only the relay that holds the lock publishes: a notice wakes it in another process.
  const removeNudge = onNudge(() => (active ? pause.wake() : db.notices.notify(relayChannel)));
  const unlisten = db.notices.listen(relayChannel, () => {
    if (active) pause.wake();
  });
  let prunedAt = 0;

  // Claims and marks run on the connection that holds the lock: a relay that has lost the lock can mark nothing.
  async function publishBatch(client: PoolClient): Promise<number> {
    const { rows } = await client.query<OutboxRow>({
      name: 'outbox_claim',
      text: `select id, event_id, topic, type, version, key, body::text as body, traceparent, created_at
        from events.outbox where published_at is null order by id limit $1`,
      values: [batchSize],
    });
    if (rows.length === 0) return 0;
    faultPoint('outbox.claimed');
    const records = rows.map(toRecord);
    const spans = rows.map((row, at) => publishing(row, records[at] as BusRecord));
    await endingSpans(spans, () => bus.publish(records));
    faultPoint('outbox.published');
    await client.query({
      name: 'outbox_mark',
      text: 'update events.outbox set published_at = now() where id = any($1::bigint[])',
      values: [rows.map((row) => row.id)],
    });
    countPublished(rows.length);
    return rows.length;
  }

  async function prune(client: PoolClient): Promise<void> {
    if (Date.now() - prunedAt < pruneInterval) return;
    prunedAt = Date.now();
    for (let deleted = pruneBatch; deleted === pruneBatch && !closing; ) {
      const { rowCount } = await client.query(
        `delete from events.outbox where id in (
          select id from events.outbox where published_at < now() - $1 * interval '1 millisecond' limit $2)`,
        [retention, pruneBatch],
      );
      deleted = rowCount ?? 0;
    }
  }

  async function publishWhileActive(client: PoolClient): Promise<void> {
    let failures = 0;
    while (!closing) {
      let published = 0;
      try {
        published = await publishBatch(client);
        if (failures > 0) logger.info({ failures }, 'the event bus is back');
        failures = 0;
      } catch (error) {
        // The lock ends with its connection, so only failures of the bus are retried here.
        await client.query('select 1');
        if (failures === 0) logger.warn({ err: error }, 'events wait in the outbox: the bus does not take them');
        failures += 1;
      }
      if (failures > 0) await pause.sleep(backoff(failures - 1));
      else if (published < batchSize) {
        await prune(client);
        await pause.sleep(pollInterval);
      }
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!closing) {
      let client: PoolClient | undefined;
      let broken: Error | undefined;
      const lost = () => pause.wake();
      try {
        client = await db.pool.connect();
        client.on('error', lost);
        const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
          relayLock,
        ]);
        failures = 0;
        if (rows[0]?.locked) {
          active = true;
          await publishWhileActive(client);
          await client.query('select pg_advisory_unlock($1)', [relayLock]);
        }
      } catch (error) {
        broken = error as Error;
        if (failures === 0 && !closing) logger.warn({ err: error }, 'the outbox cannot be read');
        failures += 1;
      } finally {
        active = false;
        client?.off('error', lost);
        client?.release(broken);
      }
      if (!closing) await pause.sleep(failures > 0 ? backoff(failures) : standbyInterval);
    }
  }

  const unmeasure = measureRelay(db, () => active);
  const running = run();
  return {
    get active() {
      return active;
    },
    async close() {
      closing = true;
      unmeasure();
      removeNudge();
      unlisten();
      pause.wake();
      await running;
    },
  };
}
