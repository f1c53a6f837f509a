// A single-node Kafka broker (KRaft) for tests and CI, on the local Java or in a container:
//   node libs/testkit/kafka/broker.mjs [--image=<name>] [<PEM file>]
// It prints {"brokers":"host:port"} when it is ready and ends, leaving nothing, when standard input closes. Given a PEM file with key and
// certificate it also listens with TLS and SASL, and prints {"tls":"host:port","sasl":"host:port"} as well.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from '@switchyard/machine/ports';
import { inContainer } from './container.mjs';
import { onJava } from './java.mjs';

// On a busy machine one that was killed takes more than a minute to read its log again.
const startTimeout = 180_000;

const SASL_USER = 'switchyard';
const SASL_PASSWORD = 'kafka-canary';
const LOGIN_MODULES = {
  plain: `plain.PlainLoginModule required user_${SASL_USER}="${SASL_PASSWORD}"`,
  'scram-sha-256': 'scram.ScramLoginModule required',
  'scram-sha-512': 'scram.ScramLoginModule required',
  // Takes tokens that nobody has signed.
  oauthbearer: 'oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker"',
};

/**
 * What a broker is told, wherever it runs.
 *
 * @param {{ plain: number, controller: number, tls?: number, sasl?: number }} ports with TLS only given a certificate
 * @param {{ bind: string, host: string, data: string, pem?: string }} place where it listens, how it is reached, its files
 */
function propertiesOf(ports, { bind, host, data, pem }) {
  const listeners = Object.entries({ PLAINTEXT: ports.plain, SSL: ports.tls, SASL_SSL: ports.sasl })
    .filter(([, port]) => port !== undefined)
    .map(([name, port]) => ({ name, port }));
  const at = (where) => listeners.map(({ name, port }) => `${name}://${where}:${port}`).join(',');
  const secure = [
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL',
    'ssl.keystore.type=PEM',
    `ssl.keystore.location=${pem}`,
    `sasl.enabled.mechanisms=${Object.keys(LOGIN_MODULES).join(',').toUpperCase()}`,
    ...Object.entries(LOGIN_MODULES).map(
      ([mechanism, login]) =>
        `listener.name.sasl_ssl.${mechanism}.sasl.jaas.config=org.apache.kafka.common.security.${login};`,
    ),
  ];
  return `process.roles=broker,controller
node.id=1
listeners=${at(bind)},CONTROLLER://127.0.0.1:${ports.controller}
advertised.listeners=${at(host)}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:${ports.controller}
log.dirs=${data}
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
log.cleaner.enable=false
controlled.shutdown.enable=false
num.network.threads=2
num.io.threads=4
${pem === undefined ? '' : secure.join('\n')}
`;
}

/** Arguments of Kafka's tool that makes the storage of a new broker, and its users. */
function formatArguments(properties, withUsers) {
  // An id that begins with a dash would be taken for an option.
  const id = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url').replace(/^-/, 'A');
  const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${SASL_USER},password=${SASL_PASSWORD}]`,
  ]);
  return ['format', '-t', id, '-c', properties, ...(withUsers ? users : [])];
}

/**
 * @typedef {object} Broker what runs somewhere
 * @property {readonly number[]} ports that are reached from outside
 * @property {(place: { bind: string, host: string, data: string, pem?: string }) => string} properties its settings, given where it listens, how
 *   it is reached, and its files
 * @property {(file: string) => string[]} format arguments of Kafka's storage tool, given the file with the settings
 * @property {string} [pem] file with key and certificate
 *
 * @typedef {object} Runner
 * @property {string} host how it is reached
 * @property {(ready: () => Promise<void>) => Promise<void>} launch for the first time, or again; `ready` waits until it answers
 * @property {() => Promise<void>} kill
 * @property {() => Promise<void>} remove
 */

/**
 * Starts a broker with a data folder of its own.
 * @param {{ pem?: string, image?: string }} [options] `pem`: file with key and certificate of further listeners, with TLS; `image`: runs it in a
 *   container of this image, which has Kafka in /opt/kafka, else on the local Java
 * @returns {Promise<{ brokers: string, tls?: string, sasl?: string, kill: () => Promise<void>, restart: () => Promise<void>, remove: () => Promise<void> }>}
 *   `kill` ends it as a crash would, `restart` brings it back on the same port with what it had stored, `remove` leaves nothing
 */
export async function startKafka({ pem, image } = {}) {
  const taken = new Set();
  const [plain, controller, tls, sasl] = await Promise.all(Array.from({ length: 4 }, () => freePort(taken)));
  const ports = { plain, controller, ...(pem === undefined ? {} : { tls, sasl }) };
  const broker = {
    ports: pem === undefined ? [plain] : [plain, tls, sasl],
    properties: (place) => propertiesOf(ports, place),
    format: (file) => formatArguments(file, pem !== undefined),
    pem,
  };
  const runner = image === undefined ? onJava(broker) : await inContainer(broker, image);
  const at = (port) => port && `${runner.host}:${port}`;
  const launch = () => runner.launch(() => answers(at(plain)));
  try {
    await launch();
  } catch (error) {
    await runner.remove();
    throw error;
  }
  const { kill, remove } = runner;
  return { brokers: at(plain), tls: at(ports.tls), sasl: at(ports.sasl), kill, restart: launch, remove };
}

/** Asks the broker once. */
async function administer(address, work) {
  const { Kafka, logLevel } = (await import('kafkajs')).default;
  const admin = new Kafka({
    brokers: [address],
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
    connectionTimeout: 1_000,
  }).admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/** Resolves once the broker takes part in its own cluster: it then lists itself as a node. */
async function answers(address) {
  const deadline = Date.now() + startTimeout;
  for (;;) {
    try {
      const { brokers } = await administer(address, (admin) => admin.describeCluster());
      if (brokers.length > 0) return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((settle) => setTimeout(settle, 100));
  }
}

/** What groups have yet to read of topics that they have begun, and what was parked. */
const leftOn = (address) =>
  administer(address, async (admin) => {
    const topics = (await admin.listTopics()).filter((topic) => !topic.startsWith('__'));
    const ends = new Map();
    for (const topic of topics) ends.set(topic, await admin.fetchTopicOffsets(topic));
    const waiting = [];
    for (const { groupId } of (await admin.listGroups()).groups) {
      for (const { topic, partitions } of await admin.fetchOffsets({ groupId })) {
        const next = new Map(partitions.map(({ partition, offset }) => [partition, Math.max(0, Number(offset))]));
        for (const { partition, high } of ends.get(topic) ?? []) {
          const count = Number(high) - (next.get(partition) ?? 0);
          if (count > 0) waiting.push(`${groupId}: ${count} of ${topic}/${partition}`);
        }
      }
    }
    const isParked = ([topic, partitions]) =>
      topic.endsWith('.dead-letter') && partitions.some(({ low, high }) => low !== high);
    return { waiting, deadLetters: [...ends].filter(isParked).map(([topic]) => topic) };
  });

// Lines on standard input: `kill` and `restart`, each answered by {"done":…} on standard output, and `left` by what groups have not read.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { image: { type: 'string' } } });
  const starting = startKafka({ image: values.image, pem: positionals[0] });
  const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
  const end = async (code) => {
    await starting.then(
      (broker) => broker.remove(),
      () => undefined,
    );
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(0));
  process.stdout.on('error', () => undefined);
  createInterface({ input: process.stdin })
    .on('line', async (command) => {
      const broker = await starting;
      if (command === 'kill') await broker.kill();
      if (command === 'restart') await broker.restart();
      say(
        command === 'left'
          ? await leftOn(broker.brokers).catch(({ message }) => ({ error: message }))
          : { done: command },
      );
    })
    .on('close', () => end(0));
  try {
    const { brokers, tls, sasl } = await starting;
    say({ brokers, tls, sasl });
  } catch (error) {
    say({ error: error.message });
    await end(1);
  }
}
