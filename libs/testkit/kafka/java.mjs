// Kafka's broker on the local Java, its jars fetched by Maven.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const pom = join(here, 'pom.xml');
const cacheFolder = join(here, '../../../node_modules/.cache/switchyard');
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
  if (!works('java', '-version')) return { reason: 'no container engine and no Java' };
  if (!works('mvn', '--version')) return { reason: 'no container engine and no Maven to fetch a broker' };
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
    return { reason: 'no container engine, and Maven cannot fetch a broker' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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

/**
 * A broker in a process, with a folder of its own for what it stores.
 * @param {import('./broker.mjs').Broker} broker
 * @returns {import('./broker.mjs').Runner}
 */
export function onJava({ properties, format, pem }) {
  const found = kafkaClasspath();
  if (found.reason) throw new Error(found.reason);
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-kafka-'));
  const file = join(folder, 'server.properties');
  writeFileSync(file, properties({ bind: '127.0.0.1', host: '127.0.0.1', data: join(folder, 'data'), pem }));
  let broker;
  let exited;
  let isNew = true;

  const makeStorage = () =>
    new Promise((settle, fail) => {
      const options = { stdio: 'ignore', cwd: folder };
      const tool = java(found.classpath, 128, 'kafka.tools.StorageTool', format(file), options);
      tool.once('error', fail);
      tool.once('exit', (code) =>
        code === 0 ? settle() : fail(new Error(`the Kafka storage could not be made: ${code}`)),
      );
    });

  const kill = async () => {
    broker?.kill('SIGKILL');
    await exited;
  };

  return {
    host: '127.0.0.1',
    kill,
    async launch(ready) {
      if (isNew) await makeStorage();
      isNew = false;
      const tail = [];
      broker = java(found.classpath, 320, 'kafka.Kafka', [file], {
        stdio: ['ignore', 'ignore', 'pipe'],
        cwd: folder,
      });
      exited = new Promise((ended) => broker.once('exit', ended));
      createInterface({ input: broker.stderr }).on('line', (line) => {
        tail.push(line);
        if (tail.length > 20) tail.shift();
      });
      const failed = new Promise((_, fail) => {
        broker.once('error', fail);
        exited.then((code) => fail(new Error(`the Kafka broker ended with ${code}\n${tail.join('\n')}`)));
      });
      await Promise.race([ready(), failed]);
    },
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
