import { startServer } from './script-server';

/** A broker of this test alone that also listens with TLS, and with TLS and SASL (user `switchyard`, password `kafka-canary`). */
export interface SecureKafka {
  /** `host:port` without TLS, with TLS, with TLS and SASL. */
  readonly plain: string;
  readonly tls: string;
  readonly sasl: string;
  close(): Promise<void>;
}

/**
 * Starts it on the local Java, also where an environment or an engine has another broker: neither has these listeners.
 * @param pem file with a private key and its certificate
 */
export async function secureKafka(pem: string): Promise<SecureKafka> {
  const { answer, stop } = await startServer('kafka/broker.mjs', pem);
  return { plain: answer.brokers ?? '', tls: answer.tls ?? '', sasl: answer.sasl ?? '', close: stop };
}

/** A Kafka broker for tests. */
export interface TestKafka {
  /** `host:port` of some brokers. */
  brokers: string[];
  /** Present when the broker is this test's own: ends it as a crash would, and brings it back with what it had stored. */
  crash?: { kill(): Promise<void>; restart(): Promise<void> };
  close(): Promise<void>;
}

const sourceOfRun = (): string => process.env.TEST_KAFKA ?? 'none: the test does not run through Jest';

/** Why tests over Kafka cannot run here; undefined when they can. With `REQUIRE_KAFKA=1` it throws instead of giving a reason. */
export function kafkaSkipReason(): string | undefined {
  const source = sourceOfRun();
  if (!source.startsWith('none: ')) return undefined;
  const reason = source.slice('none: '.length);
  if (process.env.REQUIRE_KAFKA === '1') throw new Error(`Kafka is required (REQUIRE_KAFKA=1): ${reason}`);
  return reason;
}

/** A `describe` over Kafka; where there is none its tests count as skipped, with the reason in their name. */
export function describeWithKafka(name: string, tests: () => void): void {
  const reason = kafkaSkipReason();
  if (reason === undefined) describe(name, tests);
  else describe.skip(`${name} (skipped: ${reason})`, tests);
}

/**
 * A broker: the one of TEST_KAFKA_BROKERS or KAFKA_BROKERS, else a container, else a process on the local Java (4 s to start).
 * Call it inside `describeWithKafka`; topics of a shared broker should have names of their own.
 */
export async function testKafka(): Promise<TestKafka> {
  const source = sourceOfRun();
  if (source === 'environment') {
    const brokers = (process.env.TEST_KAFKA_BROKERS ?? process.env.KAFKA_BROKERS ?? '').split(',').filter(Boolean);
    return { brokers, close: async () => undefined };
  }
  if (source === 'container') {
    const { KafkaContainer } = await import('@testcontainers/kafka');
    const container = await new KafkaContainer('confluentinc/cp-kafka:7.9.1').withKraft().start();
    return {
      brokers: [`${container.getHost()}:${container.getMappedPort(9093)}`],
      close: async () => void (await container.stop()),
    };
  }
  if (source !== 'java') throw new Error(`no Kafka: ${source}`);
  const server = await startServer('kafka/broker.mjs');
  return {
    brokers: [server.answer.brokers ?? ''],
    crash: {
      kill: async () => void (await server.ask('kill')),
      restart: async () => void (await server.ask('restart')),
    },
    close: server.stop,
  };
}
