// A single-node Kafka broker (KRaft) on the local Java, for tests and CI where there is neither a broker nor a container engine.
// Run directly it prints {"brokers":"host:port"} when it is ready and ends, leaving nothing, when standard input closes. Given a PEM file with
// key and certificate it also listens with TLS and SASL, and prints {"tls":"host:port","sasl":"host:port"} as well.
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const pom = join(here, 'pom.xml');
const cacheFolder = join(here, '../../../node_modules/.cache/switchyard');
const startTimeout = 60_000;
/** A failed look-up is not repeated for this long: without a network it takes many seconds. */
const failureLasts = 600_000;

const works = (command, flag) => spawnSync(command, [flag], { stdio: 'ignore' }).status === 0;

/**
 * The broker's jars, fetched by Maven into its ordinary local repository on first use.
 * @returns {{ classpath: string } | { reason: string }} why there is no broker to be had
 */
export function kafkaClasspath() {
  const key = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  const cached = join(cacheFolder, `kafka-${key}.json`);
  if (existsSync(cached)) {
    const known = JSON.parse(readFileSync(cached, 'utf8'));
    if (known.classpath?.split(':').every((jar) => existsSync(jar))) return { classpath: known.classpath };
    if (known.reason && Date.now() - known.at < failureLasts) return { reason: known.reason };
  }
  const found = resolveClasspath();
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(cached, JSON.stringify({ ...found, at: Date.now() }));
  return found;
}

function resolveClasspath() {
  if (!works('java', '-version')) return { reason: 'no KAFKA_BROKERS, no container engine and no Java' };
  if (!works('mvn', '--version'))
    return { reason: 'no KAFKA_BROKERS, no container engine and no Maven to fetch a broker' };
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-kafka-jars-'));
  try {
    const output = join(folder, 'classpath');
    for (const offline of [['-o'], []]) {
      const { status } = spawnSync(
        'mvn',
        ['-q', '-B', ...offline, '-f', pom, 'dependency:build-classpath', `-Dmdep.outputFile=${output}`],
        { stdio: 'ignore', timeout: 240_000 },
      );
      if (status === 0 && existsSync(output)) return { classpath: readFileSync(output, 'utf8').trim() };
    }
    return { reason: 'no KAFKA_BROKERS, no container engine, and Maven cannot fetch a broker' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const freePort = () =>
  new Promise((settle, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => settle(port));
    });
  });

const java = (classpath, memory, main, args, options) =>
  spawn(
    'java',
    [
      `-Xmx${memory}m`,
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-Djava.awt.headless=true',
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
      '-cp',
      classpath,
      main,
      ...args,
    ],
    options,
  );

const SASL_USER = 'switchyard';
const SASL_PASSWORD = 'kafka-canary';
const LOGIN_MODULES = {
  plain: `plain.PlainLoginModule required user_${SASL_USER}="${SASL_PASSWORD}"`,
  'scram-sha-256': 'scram.ScramLoginModule required',
  'scram-sha-512': 'scram.ScramLoginModule required',
  // Takes tokens that nobody has signed.
  oauthbearer: 'oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker"',
};

/** Two more listeners: TLS alone, and TLS with every mechanism of SASL. */
async function secureListeners(pem) {
  const tls = `127.0.0.1:${await freePort()}`;
  const sasl = `127.0.0.1:${await freePort()}`;
  const lines = [
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL',
    'ssl.keystore.type=PEM',
    `ssl.keystore.location=${pem}`,
    `sasl.enabled.mechanisms=${Object.keys(LOGIN_MODULES).join(',').toUpperCase()}`,
    ...Object.entries(LOGIN_MODULES).map(
      ([mechanism, login]) =>
        `listener.name.sasl_ssl.${mechanism}.sasl.jaas.config=org.apache.kafka.common.security.${login};`,
    ),
  ];
  return { addresses: { tls, sasl }, listeners: `,SSL://${tls},SASL_SSL://${sasl}`, lines };
}

/**
 * Starts a broker with a data folder of its own.
 * @param {string} [pem] file with key and certificate of further listeners, with TLS
 * @returns {Promise<{ brokers: string, tls?: string, sasl?: string, kill: () => Promise<void>, restart: () => Promise<void>, remove: () => Promise<void> }>}
 *   `kill` ends it as a crash would, `restart` brings it back on the same port with what it had stored, `remove` leaves nothing
 */
export async function startKafka(pem) {
  const found = kafkaClasspath();
  if (found.reason) throw new Error(found.reason);
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-kafka-'));
  const port = await freePort();
  const controller = await freePort();
  const properties = join(folder, 'server.properties');
  const { addresses, listeners, lines } = pem
    ? await secureListeners(pem)
    : { addresses: {}, listeners: '', lines: [] };
  writeFileSync(
    properties,
    `process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}${listeners}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}${listeners}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:${controller}
log.dirs=${join(folder, 'data')}
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
${lines.join('\n')}
`,
  );
  let broker;
  let exited;

  const launch = () =>
    new Promise((settle, fail) => {
      const tail = [];
      broker = java(found.classpath, 320, 'kafka.Kafka', [properties], {
        stdio: ['ignore', 'ignore', 'pipe'],
        cwd: folder,
      });
      exited = new Promise((ended) => broker.once('exit', ended));
      createInterface({ input: broker.stderr }).on('line', (line) => {
        tail.push(line);
        if (tail.length > 20) tail.shift();
      });
      broker.once('error', fail);
      exited.then((code) => fail(new Error(`the Kafka broker ended with ${code}\n${tail.join('\n')}`)));
      answers(port).then(settle, fail);
    });

  const kill = async () => {
    broker?.kill('SIGKILL');
    await exited;
  };

  const remove = async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  };

  try {
    await format(found.classpath, properties, folder, pem !== undefined);
    await launch();
  } catch (error) {
    await remove();
    throw error;
  }
  return { brokers: `127.0.0.1:${port}`, ...addresses, kill, restart: launch, remove };
}

function format(classpath, properties, folder, withUsers) {
  // An id that begins with a dash would be taken for an option.
  const id = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url').replace(/^-/, 'A');
  const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${SASL_USER},password=${SASL_PASSWORD}]`,
  ]);
  const args = ['format', '-t', id, '-c', properties, ...(withUsers ? users : [])];
  return new Promise((settle, fail) => {
    const tool = java(classpath, 128, 'kafka.tools.StorageTool', args, {
      stdio: 'ignore',
      cwd: folder,
    });
    tool.once('error', fail);
    tool.once('exit', (code) =>
      code === 0 ? settle() : fail(new Error(`the Kafka storage could not be made: ${code}`)),
    );
  });
}

/** Resolves once the broker takes part in its own cluster: it then lists itself as a node. */
async function answers(port) {
  const { Kafka, logLevel } = (await import('kafkajs')).default;
  const kafka = new Kafka({
    brokers: [`127.0.0.1:${port}`],
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
    connectionTimeout: 1_000,
  });
  const deadline = Date.now() + startTimeout;
  for (;;) {
    const admin = kafka.admin();
    try {
      await admin.connect();
      const { brokers } = await admin.describeCluster();
      if (brokers.length > 0) return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
    await new Promise((settle) => setTimeout(settle, 100));
  }
}

// Lines on standard input: `kill` and `restart`, each answered by {"done":…} on standard output.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const starting = startKafka(process.argv[2]);
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
      say({ done: command });
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
