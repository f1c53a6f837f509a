import { setTimeout as delay } from 'node:timers/promises';
import { logger } from '@switchyard/telemetry';
import type { Admin, Consumer, EachBatchPayload, IHeaders, ISocketFactory, Producer } from 'kafkajs';
import { backoff, WakeablePause } from './backoff';
import type { BusRecord, EventBus, ReceivedRecord, RecordHandler, Subscription } from './bus';
import { checkKafka } from './check-kafka';
import type { KafkaConnection } from './kafka-connection';
import { partitionCount, retentionOf } from './topics';

export interface KafkaBusOptions extends KafkaConnection {
  clientId?: string;
  /** Opens the sockets to the brokers; for tests and proxies. */
  socketFactory?: ISocketFactory;
}

/** Bytes of one request: a broker refuses a batch over 1 MiB (`message.max.bytes`). */
const publishBytes = 700_000;
/** The smallest session a broker allows by default is 6 s; a killed member is replaced after it. */
const sessionTimeout = 10_000;
/** Some 6 s in all. */
const adminRetries = 9;

/**
 * Contains the `traceparent` of the event: the tracing of kafkajs replaces that header by the relay's, and the event
 * would no longer belong to the trace of its request.
 */
const causeHeader = 'event-traceparent';

const textHeaders = (headers: IHeaders | undefined): Record<string, string> => {
  const text: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) text[name] = first.toString();
  }
  const { [causeHeader]: cause, ...own } = text;
  return cause === undefined ? own : { ...own, traceparent: cause };
};

/** Bytes of a record, with a little for what surrounds each part. */
function sizeOf({ key, body, headers }: BusRecord): number {
  let size = 100 + Buffer.byteLength(key) + Buffer.byteLength(body);
  for (const [name, value] of Object.entries(headers)) size += 10 + Buffer.byteLength(name) + Buffer.byteLength(value);
  return size;
}

/** Consecutive pieces of `records`, each small enough for one request. */
function* pieces(records: BusRecord[]): Generator<BusRecord[]> {
  let piece: BusRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = sizeOf(record);
    if (piece.length > 0 && bytes + size > publishBytes) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(record);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}

function byTopic(records: BusRecord[]) {
  const topics = new Map<string, { key: string; value: string; headers: Record<string, string> }[]>();
  for (const { topic, key, body, headers } of records) {
    const messages = topics.get(topic) ?? [];
    const { traceparent } = headers;
    messages.push({
      key,
      value: body,
      // A copy: the tracing of kafkajs writes into it.
      headers: traceparent === undefined ? { ...headers } : { ...headers, [causeHeader]: traceparent },
    });
    topics.set(topic, messages);
  }
  return [...topics].map(([topic, messages]) => ({ topic, messages }));
}

/**
 * The bus over Kafka (kafkajs, kept behind the port). Topics are created on first use, unless the operator creates
 * them. kafkajs never recovers from some errors, so a crashed consumer is dropped and created again until it is closed.
 */
export function kafkaBus(options: KafkaBusOptions): EventBus {
  const {
    brokers,
    tls,
    sasl,
    createTopics = true,
    replicationFactor,
    clientId = 'switchyard',
    socketFactory,
  } = options;
  // Loaded on use: a process on the embedded log starts without it.
  const {
    Kafka,
    KafkaJSGroupCoordinatorNotFound,
    KafkaJSNonRetriableError,
    KafkaJSProtocolError,
    logLevel,
    Partitioners,
  } = require('kafkajs') as typeof import('kafkajs');
  const kafka = new Kafka({
    clientId,
    brokers,
    ssl: tls,
    sasl,
    socketFactory,
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3, restartOnFailure: async () => false },
    logLevel: logLevel.WARN,
    logCreator:
      () =>
      ({ namespace, log }) =>
        logger.debug({ namespace, ...log }, 'kafkajs'),
  });
  const ready = new Set<string>();
  const subscriptions = new Set<Subscription>();
  let connection: Promise<Producer> | undefined;
  let closed: Promise<void> | undefined;

  /** A retriable error may be wrapped in a non-retriable one. */
  function isTemporary(error: unknown): boolean {
    if (error instanceof KafkaJSGroupCoordinatorNotFound) return true;
    const refusal = error instanceof KafkaJSNonRetriableError ? error.cause : error;
    return refusal instanceof KafkaJSProtocolError && refusal.retriable;
  }

  /**
   * `work` must be safe to repeat: a new topic, a topic whose leader moves and a group on a new cluster are refused
   * with a temporary error, which kafkajs does not retry when it reads offsets.
   */
  async function withAdmin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      const admin = kafka.admin();
      try {
        await admin.connect();
        return await work(admin);
      } catch (error) {
        if (tries === adminRetries || !isTemporary(error)) throw error;
      } finally {
        await admin.disconnect().catch(() => undefined);
      }
      await delay(backoff(tries, 50, 1_000));
    }
  }

  async function ensureTopics(topics: string[]): Promise<void> {
    const missing = [...new Set(topics)].filter((topic) => !ready.has(topic));
    if (missing.length === 0) return;
    await withAdmin(async (admin) => {
      const present = new Set(await admin.listTopics());
      const created = missing.filter((topic) => !present.has(topic));
      if (created.length === 0) return;
      if (!createTopics) {
        throw new Error(
          `KAFKA_CREATE_TOPICS: is false, and topics are missing that \`npm run admin -- topics\` lists: ${created.join(', ')}`,
        );
      }
      await admin.createTopics({
        waitForLeaders: true,
        topics: created.map((topic) => ({
          topic,
          numPartitions: partitionCount,
          replicationFactor,
          configEntries: [{ name: 'retention.ms', value: String(retentionOf(topic)) }],
        })),
      });
    });
    for (const topic of missing) ready.add(topic);
  }

  function connectedProducer(): Promise<Producer> {
    connection ??= (async () => {
      // One request at a time: with more, a retried request can overtake the one behind it and break the order of keys.
      const producer = kafka.producer({
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        createPartitioner: Partitioners.DefaultPartitioner,
      });
      await producer.connect();
      return producer;
    })();
    return connection;
  }

  async function dropProducer(): Promise<void> {
    const dropped = connection;
    connection = undefined;
    await dropped?.then((producer) => producer.disconnect()).catch(() => undefined);
  }

  const newConsumer = (groupId: string): Consumer =>
    kafka.consumer({
      groupId,
      sessionTimeout,
      heartbeatInterval: 2_000,
      rebalanceTimeout: 20_000,
      maxWaitTimeInMs: 500,
      allowAutoTopicCreation: false,
    });

  function eachBatch(group: string, handler: RecordHandler) {
    return async ({ batch, resolveOffset, heartbeat, isRunning, isStale }: EachBatchPayload): Promise<void> => {
      const goesOn = () => isRunning() && !isStale();
      for (const message of batch.messages) {
        const record: ReceivedRecord = {
          topic: batch.topic,
          partition: batch.partition,
          offset: message.offset,
          key: message.key?.toString() ?? '',
          body: message.value?.toString() ?? '',
          headers: textHeaders(message.headers),
        };
        for (let failures = 0; ; failures += 1) {
          if (!goesOn()) return;
          try {
            await handler(record);
            break;
          } catch (error) {
            if (failures === 0) {
              logger.warn(
                { err: error, group, topic: batch.topic, offset: message.offset },
                'event will be delivered again',
              );
            }
            await delay(backoff(failures, 50, 2_000));
            // Keeps the membership while the failure lasts; throws when another member has the partition.
            await heartbeat();
          }
        }
        resolveOffset(message.offset);
        await heartbeat();
      }
    };
  }

  function member(group: string, topics: string[], handler: RecordHandler): Subscription {
    const pause = new WakeablePause();
    let closing = false;

    async function consumeOnce(): Promise<void> {
      await ensureTopics(topics);
      const consumer = newConsumer(group);
      try {
        let crash: Error | undefined;
        consumer.on(consumer.events.CRASH, ({ payload }) => {
          crash = payload.error;
          pause.wake();
        });
        await consumer.connect();
        await consumer.subscribe({ topics, fromBeginning: true });
        await consumer.run({
          eachBatchAutoResolve: false,
          partitionsConsumedConcurrently: 4,
          eachBatch: eachBatch(group, handler),
        });
        while (!closing && crash === undefined) await pause.sleep(60_000);
        if (crash !== undefined && !closing) throw crash;
      } finally {
        await consumer.disconnect().catch(() => undefined);
      }
    }

    async function run(): Promise<void> {
      for (let failures = 0; !closing; failures += 1) {
        const started = Date.now();
        try {
          await consumeOnce();
        } catch (error) {
          if (Date.now() - started > 30_000) failures = 0;
          if (failures === 0) logger.warn({ err: error, group }, 'the event bus is away; trying again');
          if (!closing) await pause.sleep(backoff(failures, 200, 3_000));
        }
      }
    }

    const running = run();
    const subscription: Subscription = {
      async close() {
        closing = true;
        pause.wake();
        subscriptions.delete(subscription);
        await running;
      },
    };
    return subscription;
  }

  return {
    async check(topics) {
      await checkKafka(kafka, options);
      if (createTopics) return;
      await ensureTopics(topics).catch((error: Error) => {
        // Every other failure passes, or shows itself again where the topics are used.
        if (error.message.startsWith('KAFKA_')) throw error;
      });
    },

    async publish(records) {
      if (records.length === 0) return;
      try {
        await ensureTopics(records.map((record) => record.topic));
        const producer = await connectedProducer();
        for (const piece of pieces(records)) await producer.sendBatch({ acks: -1, topicMessages: byTopic(piece) });
      } catch (error) {
        // A topic may have been deleted, and a connection may be half open: the next call starts from the beginning.
        ready.clear();
        await dropProducer();
        throw error;
      }
    },

    async subscribe({ group, topics, handler }) {
      const subscription = member(group, topics, handler);
      subscriptions.add(subscription);
      return subscription;
    },

    async drain({ group, topic, handler }) {
      await ensureTopics([topic]);
      const pending = await withAdmin(async (admin) => {
        const ends = await admin.fetchTopicOffsets(topic);
        const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
        const next = new Map(committed?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
        return new Map(
          ends
            .map(({ partition, high, low }) => {
              const from = next.get(partition) ?? -1n;
              return { partition, from: from < BigInt(low) ? BigInt(low) : from, end: BigInt(high) };
            })
            .filter(({ from, end }) => from < end)
            .map(({ partition, end }) => [partition, end]),
        );
      });
      if (pending.size === 0) return 0;
      let delivered = 0;
      const consumer = newConsumer(group);
      try {
        await consumer.connect();
        await consumer.subscribe({ topics: [topic], fromBeginning: true });
        await new Promise<void>((settle, fail) => {
          consumer.on(consumer.events.CRASH, ({ payload }) => fail(payload.error));
          consumer
            .run({
              autoCommit: false,
              eachMessage: async ({ partition, message }) => {
                const end = pending.get(partition);
                if (end === undefined) return;
                const next = BigInt(message.offset) + 1n;
                if (next > end) return;
                await handler({
                  topic,
                  partition,
                  offset: message.offset,
                  key: message.key?.toString() ?? '',
                  body: message.value?.toString() ?? '',
                  headers: textHeaders(message.headers),
                });
                delivered += 1;
                await consumer.commitOffsets([{ topic, partition, offset: String(next) }]);
                if (next === end) pending.delete(partition);
                if (pending.size === 0) settle();
              },
            })
            .catch(fail);
        });
      } finally {
        await consumer.disconnect().catch(() => undefined);
      }
      return delivered;
    },

    lag: ({ group, topics }) =>
      withAdmin(async (admin) => {
        const present = new Set(await admin.listTopics());
        const existing = topics.filter((topic) => present.has(topic));
        const committed = await admin.fetchOffsets({ groupId: group, topics: existing });
        let waiting = 0n;
        for (const topic of existing) {
          const of = committed.find((one) => one.topic === topic)?.partitions ?? [];
          const next = new Map(of.map(({ partition, offset }) => [partition, BigInt(offset)]));
          for (const { partition, high, low } of await admin.fetchTopicOffsets(topic)) {
            const from = next.get(partition) ?? -1n;
            waiting += BigInt(high) - (from < BigInt(low) ? BigInt(low) : from);
          }
        }
        return Number(waiting);
      }),

    close() {
      closed ??= (async () => {
        await Promise.all([...subscriptions].map((subscription) => subscription.close()));
        await dropProducer();
      })();
      return closed;
    },
  };
}
