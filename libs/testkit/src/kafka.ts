import { startServer } from './script-server';

/** A broker of this test alone that also listens with TLS, and with TLS and SASL (user `switchyard`, password `kafka-canary`). */
export interface SecureKafka {
  /** `host:port` without TLS, with TLS, with TLS and SASL. */
  readonly plain: string;
  readonly tls: string;
  readonly sasl: string;
  close(): Promise<void>;
}

/** A Kafka broker for tests. */
export interface TestKafka {
  /** `host:port` of some brokers. */
  brokers: string[];
  close(): Promise<void>;
}

/** A broker of this test alone. */
export interface OwnKafka extends TestKafka {
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Brings it back, at the same address, with what it had stored. */
  restart(): Promise<void>;
  /** What groups have yet to read, a line for each partition, and the topics with dead letters. */
  left(): Promise<{ waiting: string[]; deadLetters: string[] }>;
}

/** `shared`: a broker of the environment will do; `own`: it must be the test's alone, which none of the environment is. */
type Which = 'shared' | 'own';

const brokersOfEnvironment = (): string[] =>
  (process.env.TEST_KAFKA_BROKERS || process.env.KAFKA_BROKERS || '').split(',').filter(Boolean);

/** Where brokers of one test alone come from: `container`, `java`, or `none: <reason>`. */
const ownSource = (): string => process.env.TEST_OWN_KAFKA ?? 'none: the test does not run through Jest';

/** Why tests over Kafka cannot run here; undefined when they can. With `REQUIRE_KAFKA=1` it throws instead of giving a reason. */
export function kafkaSkipReason(which: Which = 'shared'): string | undefined {
  if (which === 'shared' && brokersOfEnvironment().length > 0) return undefined;
  const source = ownSource();
  if (!source.startsWith('none: ')) return undefined;
  const reason = source.slice('none: '.length);
  if (process.env.REQUIRE_KAFKA === '1') throw new Error(`Kafka is required (REQUIRE_KAFKA=1): ${reason}`);
  return reason;
}

/** A `describe` over Kafka; where there is none its tests count as skipped, with the reason in their name. */
export function describeWithKafka(name: string, tests: () => void, which: Which = 'shared'): void {
  const reason = kafkaSkipReason(which);
  if (reason === undefined) describe(name, tests);
  else describe.skip(`${name} (skipped: ${reason})`, tests);
}

/** A broker in a container, where an engine gives one, else a process on the local Java. */
async function startBroker(...files: string[]) {
  const source = ownSource();
  if (source.startsWith('none: ')) throw new Error(`no Kafka: ${source}`);
  const image = source === 'container' ? [`--image=${process.env.TEST_KAFKA_IMAGE}`] : [];
  return startServer('kafka/broker.mjs', ...image, ...files);
}

/**
 * A broker: the one of TEST_KAFKA_BROKERS or KAFKA_BROKERS, else one of this test alone (`ownKafka`).
 * Call it inside `describeWithKafka`; topics of a shared broker should have names of their own.
 */
export async function testKafka(): Promise<TestKafka> {
  const brokers = brokersOfEnvironment();
  return brokers.length > 0 ? { brokers, close: async () => undefined } : ownKafka();
}

/** A broker of this test alone, also where the environment has one: a container, else a process on the local Java (4 s to start). */
export async function ownKafka(): Promise<OwnKafka> {
  const server = await startBroker();
  return {
    brokers: [server.answer.brokers ?? ''],
    kill: async () => void (await server.ask('kill')),
    restart: async () => void (await server.ask('restart')),
    left: async () => (await server.ask('left')) as unknown as { waiting: string[]; deadLetters: string[] },
    close: server.stop,
  };
}

/**
 * A broker of this test alone with further listeners, which none of the environment has.
 * @param pem file with a private key and its certificate
 */
export async function secureKafka(pem: string): Promise<SecureKafka> {
  const { answer, stop } = await startBroker(pem);
  return { plain: answer.brokers ?? '', tls: answer.tls ?? '', sasl: answer.sasl ?? '', close: stop };
}
