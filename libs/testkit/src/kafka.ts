import { createRequire } from 'node:module';
import { join } from 'node:path';

interface ScriptServer {
  answer: Record<string, string>;
  ask(line: string): Promise<Record<string, string>>;
  stop(): Promise<void>;
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
  const load = createRequire(__filename);
  const { startServer } = load(join(__dirname, '..', 'jest', 'server.cjs')) as {
    startServer(script: string): Promise<ScriptServer>;
  };
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
