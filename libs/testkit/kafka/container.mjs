// Kafka's broker in a container of an image that has it in /opt/kafka.
import { readFileSync } from 'node:fs';

const PROPERTIES = '/tmp/server.properties';
const PEM = '/tmp/server.pem';
const startupMs = 120_000;

/**
 * A broker in a container, on the same ports inside and outside: what it says of itself must be true before it runs.
 * @param {import('./broker.mjs').Broker} broker
 * @param {string} image
 * @returns {Promise<import('./broker.mjs').Runner>}
 */
export async function inContainer({ ports, properties, format, pem }, image) {
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers');
  const client = await getContainerRuntimeClient();
  // The certificates of tests have both names; the address leaves out IPv6, on which engines do not always publish ports.
  const host = client.info.containerRuntime.host.replace(/^localhost$/, '127.0.0.1');
  const place = { bind: '0.0.0.0', host, data: '/tmp/kafka-data', pem: pem && PEM };
  const files = [{ content: properties(place), target: PROPERTIES, mode: 0o644 }];
  if (pem !== undefined) files.push({ content: readFileSync(pem, 'utf8'), target: PEM, mode: 0o644 });
  const steps = [
    `/opt/kafka/bin/kafka-storage.sh "$@" --ignore-formatted`,
    `exec /opt/kafka/bin/kafka-server-start.sh ${PROPERTIES}`,
  ];
  let started;
  return {
    host,
    async launch(ready) {
      if (started === undefined) {
        started = await new GenericContainer(image)
          .withExposedPorts(...ports.map((port) => ({ container: port, host: port })))
          .withCopyContentToContainer(files)
          .withEnvironment({ KAFKA_HEAP_OPTS: '-Xmx320m' })
          .withEntrypoint(['sh', '-c', steps.join(' && '), 'kafka'])
          .withCommand(format(PROPERTIES))
          .withWaitStrategy(Wait.forLogMessage('Kafka Server started'))
          .withStartupTimeout(startupMs)
          .start();
      } else await client.container.getById(started.getId()).start();
      await ready();
    },
    async kill() {
      await client.container.getById(started.getId()).kill();
    },
    async remove() {
      await started?.stop({ timeout: 0 });
    },
  };
}
