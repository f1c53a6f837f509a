import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { type Database, isConnectionError, isRetryable, sqlState, type Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { isAppError } from '@switchyard/errors';
import { logger } from '@switchyard/telemetry';
import { Semaphore } from 'async-mutex';
import { backoff } from './backoff';
import type { EventBus, ReceivedRecord } from './bus';
import { decodeBody, type EventDefinition } from './event';
import { faultPoint } from './fault-point';
import { countConsumed, measureLag } from './metrics';

/** What a handler gets of an event, apart from its payload. */
export interface EventMeta {
  id: string;
  type: string;
  topic: string;
  key: string;
  /** When its change was committed by the publisher. */
  time: Date;
  /** The event as it lies on the bus, with what this version does not know yet. */
  body: string;
  /** 1 for the first try of this process. */
  attempt: number;
}

/** One event and its handler in this service. */
export interface EventSubscription<Payload> {
  event: EventDefinition<Payload>;
  /**
   * False for an event that has no effect here, decided by its payload alone: it costs no transaction and leaves no inbox
   * row. Default: every event has one.
   */
  concerns?(payload: NoInfer<Payload>): boolean;
  /**
   * Waits, before the transaction is opened, for what the effect needs, such as a replica that has reached the event's
   * sequence. A failure counts as one of the effect.
   */
  before?(payload: NoInfer<Payload>): Promise<void>;
  /**
   * The effect, written through `tx` alone: it commits together with the inbox row of the event, so it happens once.
   * Keep it short; make no remote calls. A permanent error (see `startConsumer`) is retried a few times, then the event
   * is parked.
   */
  handle(payload: Payload, tx: Tx, meta: EventMeta): Promise<void>;
}

/** A subscription with any payload type. */
export type AnySubscription = EventSubscription<never>;

/** Binds an event to its handler, with the types of both checked. */
export const subscription = <Payload>(given: EventSubscription<Payload>): AnySubscription =>
  given as unknown as AnySubscription;

export interface ConsumerOptions {
  bus: EventBus;
  db: Database;
  /**
   * Name under which the bus and the inbox record received events, e.g. `collaboration`. Never rename it: a new group
   * starts at the beginning.
   */
  group: string;
  subscriptions: AnySubscription[];
  /**
   * Events handled at the same time; by default as many as the bus delivers concurrently. A limit leaves the machine to
   * requests, when events can arrive faster than they are handled.
   */
  concurrency?: number;
  /** Tries before an event goes to the dead-letter topic; default 5. */
  tries?: number;
  /** Milliseconds an inbox row is kept; default 14 days, longer than any bus keeps a record. */
  retention?: number;
  /** Milliseconds between two prunings of the inbox; default one hour. */
  pruneEvery?: number;
}

export interface Consumer {
  /** Stops after the running events. */
  close(): Promise<void>;
}

const pruneBatch = 5_000;

/** Topic on which `group` parks the events of `topic` it could not handle. */
export const deadLetterTopic = (topic: string, group: string): string => `${topic}.${group}.dead-letter`;

/** Topic on which `group`, and no other one, gets parked events again. */
export const retryTopic = (topic: string, group: string): string => `${topic}.${group}.retry`;

/**
 * A temporary failure that the event does not cause: it is retried for as long as it lasts.
 * A statement over its time limit (57014) is none: the handler may be slow.
 */
const isTemporary = (error: unknown): boolean =>
  isConnectionError(error) || isRetryable(error) || (isAppError(error, 'unavailable') && sqlState(error) !== '57014');

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 2_000);

const tracer = trace.getTracer('@switchyard/events');

/**
 * Starts receiving events. Inbox row and effect commit in one transaction, so an event that the bus delivers again has
 * no second effect. A temporary failure (database away, deadlock, `unavailable`) is retried until it ends; any other
 * `tries` times, then the event is published to `<topic>.<group>.dead-letter` with its reason, and the next one is
 * handled (see `replayDeadLetters`).
 */
export async function startConsumer({
  bus,
  db,
  group,
  subscriptions,
  concurrency,
  tries = 5,
  retention = 14 * 86_400_000,
  pruneEvery = 3_600_000,
}: ConsumerOptions): Promise<Consumer> {
  const bySource = new Map<string, AnySubscription>();
  for (const one of subscriptions) {
    for (const topic of [one.event.topic, retryTopic(one.event.topic, group)]) {
      const source = `${topic} ${one.event.type}`;
      if (bySource.has(source)) throw new Error(`two subscriptions of ${group} to ${source}`);
      bySource.set(source, one);
    }
  }
  const topics = [...new Set(subscriptions.flatMap(({ event }) => [event.topic, retryTopic(event.topic, group)]))];
  const stopping = new AbortController();
  // A semaphore without a limit would not end: its release counts down from its value.
  const slots = concurrency === undefined ? undefined : new Semaphore(concurrency);

  async function handleOnce(
    one: AnySubscription,
    record: ReceivedRecord,
    attempt: number,
  ): Promise<'handled' | 'duplicate' | 'ignored'> {
    const { id, type, time } = record.headers as { id: string; type: string; time: string };
    const payload = decodeBody(one.event, record.body);
    if (one.concerns?.(payload) === false) return 'ignored';
    const meta = {
      id,
      type,
      topic: one.event.topic,
      key: record.key,
      time: new Date(time),
      body: record.body,
      attempt,
    };
    await one.before?.(payload);
    const outcome = await db.transaction(async (tx) => {
      const fresh = await tx.query(
        named(
          'inbox_take',
          sql`insert into events.inbox (consumer_group, event_id) values (${group}, ${id}) on conflict do nothing returning event_id`,
        ),
      );
      if (fresh.length === 0) return 'duplicate';
      await one.handle(payload, tx, meta);
      return 'handled';
    });
    faultPoint('consumer.committed');
    return outcome;
  }

  async function park(one: AnySubscription, record: ReceivedRecord, error: unknown): Promise<void> {
    const reason = reasonOf(error);
    logger.error(
      { err: error, group, event: record.headers.id, type: record.headers.type },
      'event parked as a dead letter',
    );
    await bus.publish([
      {
        topic: deadLetterTopic(one.event.topic, group),
        key: record.key,
        body: record.body,
        headers: { ...record.headers, 'dead-reason': reason, 'dead-time': new Date().toISOString() },
      },
    ]);
  }

  async function receive(record: ReceivedRecord): Promise<void> {
    const { id, type } = record.headers;
    const one = bySource.get(`${record.topic} ${type}`);
    if (one === undefined || id === undefined || type === undefined) {
      countConsumed(type ?? 'unknown', 'ignored');
      return;
    }
    const parent = propagation.extract(context.active(), record.headers);
    await context.with(parent, () =>
      tracer.startActiveSpan(`consume ${type}`, { kind: SpanKind.CONSUMER }, async (span) => {
        try {
          for (let attempt = 1; ; attempt += 1) {
            try {
              const handle = () => handleOnce(one, record, attempt);
              countConsumed(type, await (slots === undefined ? handle() : slots.runExclusive(handle)));
              return;
            } catch (error) {
              if (isTemporary(error) || stopping.signal.aborted) {
                countConsumed(type, 'redelivered');
                throw error;
              }
              if (attempt >= tries || error instanceof SyntaxError) {
                span.setStatus({ code: SpanStatusCode.ERROR, message: reasonOf(error) });
                await park(one, record, error);
                countConsumed(type, 'dead');
                return;
              }
              await new Promise((settle) => setTimeout(settle, backoff(attempt - 1, 50, 1_000)));
            }
          }
        } finally {
          span.end();
        }
      }),
    );
  }

  async function prune(): Promise<void> {
    for (let deleted = pruneBatch; deleted === pruneBatch && !stopping.signal.aborted; ) {
      const rows = await db.query(sql`
        delete from events.inbox where ctid in (
          select ctid from events.inbox
          where consumer_group = ${group} and received_at < now() - ${retention} * interval '1 millisecond' limit ${pruneBatch})
        returning 1`);
      deleted = rows.length;
    }
  }

  const pruning = setInterval(() => {
    prune().catch((error) => logger.warn({ err: error, group }, 'the inbox could not be pruned'));
  }, pruneEvery);
  pruning.unref();

  const running = await bus.subscribe({ group, topics, handler: receive });
  const unmeasure = measureLag(bus, { group, topics });
  return {
    async close() {
      stopping.abort();
      clearInterval(pruning);
      unmeasure();
      await running.close();
    },
  };
}

/**
 * Publishes the parked events of `topic` to `group` again, which handles them like new ones; an event that fails again
 * is parked again.
 * @returns how many were published
 */
export function replayDeadLetters({
  bus,
  group,
  topic,
}: {
  bus: EventBus;
  group: string;
  topic: string;
}): Promise<number> {
  return bus.drain({
    group: `${group}.replay`,
    topic: deadLetterTopic(topic, group),
    async handler({ key, body, headers }) {
      const { 'dead-reason': _reason, 'dead-time': _time, ...original } = headers;
      await bus.publish([{ topic: retryTopic(topic, group), key, body, headers: original }]);
    },
  });
}
